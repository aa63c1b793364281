/// What tells one network from another, as far as the kernel knows.
public struct Network: Codable, Hashable, Sendable {
    /// nil: not associated, or not Wi-Fi.
    public let ssid: SSID?
    /// nil: not associated, or not known.
    public let family: BSSIDFamily?
    public let routers: [Router]

    /// A gateway, and the machine behind its address.
    public struct Router: Codable, Hashable, Sendable {
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

    public init(ssid: SSID?, family: BSSIDFamily? = nil, routers: [Router]) {
        self.ssid = ssid
        self.family = family
        self.routers = routers
    }

    package init(_ kernelState: KernelState) {
        ssid = kernelState.wireless?.association?.ssid
        family = (kernelState.wireless?.association?.bssid).map { BSSIDFamily($0) }
        routers = kernelState.gateways.map {
            Router(address: $0.address, macAddress: $0.neighbour?.macAddress)
        }
    }

    /// Another name, other gateways, other machines behind their addresses, or, where these are not known, access
    /// points of another maker.
    package func isOther(than other: Network) -> Bool {
        guard ssid == other.ssid, routers.count == other.routers.count else { return true }
        guard routers.allSatisfy({ ours in other.routers.contains { ours.mayBe($0) } }) else { return true }
        return !isFamily(of: other) && !shares(other)
    }

    /// The same name, and nothing that tells another network: routes may be missing, and come later.
    package func mayHaveBecome(_ other: Network) -> Bool {
        guard ssid == other.ssid, isFamily(of: other) || shares(other) else { return false }
        return routers.allSatisfy { ours in
            other.routers.allSatisfy { $0.address != ours.address || ours.mayBe($0) }
        }
    }

    /// The same name, and a gateway in common where there are any: routers of the other family of addresses come
    /// and go. One that is known to be the same machine is enough, whose access points there may be between: who
    /// roams stays in the network.
    package func mayBe(_ other: Network) -> Bool {
        guard ssid == other.ssid else { return false }
        if shares(other) { return true }
        guard isFamily(of: other) else { return false }
        if routers.isEmpty || other.routers.isEmpty { return routers.isEmpty && other.routers.isEmpty }
        return routers.contains { ours in other.routers.contains { ours.mayBe($0) } }
    }

    /// Not known to be of another maker.
    private func isFamily(of other: Network) -> Bool {
        family == nil || other.family == nil || family == other.family
    }

    /// Whether one gateway is the same machine, as far as hardware addresses tell.
    private func shares(_ other: Network) -> Bool {
        routers.contains { $0.macAddress != nil && other.routers.contains($0) }
    }
}
