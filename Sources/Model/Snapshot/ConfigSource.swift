/// How the address owner got an item of the link's configuration; the raw value is its name in records.
public enum ConfigSource: String, Codable, Hashable, Sendable, CaseIterable {
    /// The item came from the network: an address of a lease or a router advertisement, or the default route
    /// that came with it.
    case provided
    /// An IPv6 link-local address or route that the owner made itself. The owner restores it, but late:
    /// NetworkManager does so ten seconds after the link was lowered.
    case linkLocal = "link-local"
}
