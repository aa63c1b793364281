/// What distinguishes one network from another, as far as the kernel knows.
public struct Network: Codable, Hashable, Sendable {
    /// nil: not associated, or not Wi-Fi.
    public let ssid: SSID?
    /// nil: not associated, or not known.
    public let family: BSSIDFamily?
    public let routers: [Router]

    /// A gateway's address, and the hardware address behind it.
    public struct Router: Codable, Hashable, Sendable {
        public let address: IPAddress
        /// nil: not known. A silent gateway has none after a while, and may still be the same.
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

    /// Another SSID, other gateways, other hardware behind their addresses, or, if these are not known,
    /// access points of another manufacturer.
    package func isOther(than other: Network) -> Bool {
        guard ssid == other.ssid, routers.count == other.routers.count else { return true }
        guard routers.allSatisfy({ ours in other.routers.contains { ours.mayBe($0) } }) else { return true }
        return !isFamily(of: other) && !shares(other)
    }

    /// The same SSID, and no sign of another network: routes may be missing now and appear later.
    package func mayHaveBecome(_ other: Network) -> Bool {
        guard ssid == other.ssid, isFamily(of: other) || shares(other) else { return false }
        return routers.allSatisfy { ours in
            other.routers.allSatisfy { $0.address != ours.address || ours.mayBe($0) }
        }
    }

    /// The same SSID, and a common gateway if there are any: routers of the other address family come and go.
    /// A gateway that is known to be the same hardware suffices, even with access points of another
    /// manufacturer: a station that roams stays in the network.
    package func mayBe(_ other: Network) -> Bool {
        guard ssid == other.ssid else { return false }
        if shares(other) { return true }
        guard isFamily(of: other) else { return false }
        if routers.isEmpty || other.routers.isEmpty { return routers.isEmpty && other.routers.isEmpty }
        return routers.contains { ours in other.routers.contains { ours.mayBe($0) } }
    }

    /// Not known to be of another manufacturer.
    private func isFamily(of other: Network) -> Bool {
        family == nil || other.family == nil || family == other.family
    }

    /// Whether one gateway is the same machine, as far as hardware addresses are known.
    private func shares(_ other: Network) -> Bool {
        routers.contains { $0.macAddress != nil && other.routers.contains($0) }
    }
}
