/// What tells one network from another, as far as the kernel knows.
struct Network: Hashable, Sendable {
    /// nil: not associated, or not Wi-Fi.
    private let ssid: SSID?
    private let routers: [Router]

    /// A gateway, and the machine behind its address.
    private struct Router: Hashable {
        let address: IPAddress
        /// One that does not answer has none after a while; it may still be the same.
        let macAddress: MACAddress?

        func mayBe(_ other: Router) -> Bool {
            guard address == other.address else { return false }
            guard let ours = macAddress, let theirs = other.macAddress else { return true }
            return ours == theirs
        }
    }

    init(_ survey: Survey) {
        ssid = survey.wireless?.association?.ssid
        routers = survey.gateways.map {
            Router(address: $0.address, macAddress: $0.neighbour?.macAddress)
        }
    }

    /// Another name, other gateways, or other machines behind their addresses.
    func isOther(than other: Network) -> Bool {
        guard ssid == other.ssid, routers.count == other.routers.count else { return true }
        return !routers.allSatisfy { ours in other.routers.contains { ours.mayBe($0) } }
    }
}
