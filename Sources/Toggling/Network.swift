/// What tells one network from another, as far as the kernel knows.
public struct Network: Hashable, Sendable {
    /// nil: not associated, or not Wi-Fi.
    public let ssid: SSID?
    public let routers: [Router]

    /// A gateway, and the machine behind its address.
    public struct Router: Hashable, Sendable {
        public let address: IPAddress
        /// One that does not answer has none after a while; it may still be the same.
        public let macAddress: MACAddress?

        public init(address: IPAddress, macAddress: MACAddress?) {
            self.address = address
            self.macAddress = macAddress
        }

        func mayBe(_ other: Router) -> Bool {
            guard address == other.address else { return false }
            guard let ours = macAddress, let theirs = other.macAddress else { return true }
            return ours == theirs
        }
    }

    public init(ssid: SSID?, routers: [Router]) {
        self.ssid = ssid
        self.routers = routers
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

    /// The same name, and a gateway in common where there are any: routers of the other family come and go.
    func mayBe(_ other: Network) -> Bool {
        guard ssid == other.ssid else { return false }
        if routers.isEmpty || other.routers.isEmpty { return routers.isEmpty && other.routers.isEmpty }
        return routers.contains { ours in other.routers.contains { ours.mayBe($0) } }
    }
}
