/// The task of a run.
public enum RunMode: String, Codable, Hashable, Sendable, CaseIterable {
    /// The service: check at every interval, bounce a sick link, and never end by itself.
    case watch
    /// One bounce now.
    case toggle
    /// One bounce if the link is sick.
    case reconnect
    /// Only a check; nothing is changed.
    case probe

    public var changesLink: Bool { self != .probe }
}
