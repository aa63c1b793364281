/// What distinguishes one network from another, as far as the kernel knows.
public struct Network: Codable, Hashable, Sendable {
    /// The network's name; nil: not associated, or not Wi-Fi.
    public let ssid: SSID?
    /// The manufacturer of the access point; nil: not associated, or not known.
    public let family: BSSIDFamily?
    /// The gateways.
    public let routers: [Router]

    /// A gateway's address, and the hardware address behind it.
    public struct Router: Codable, Hashable, Sendable {
        public let address: IPAddress
        /// The gateway's hardware address; nil: not known. The kernel forgets it if the gateway stays silent.
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

    /// Whether this network certainly differs from the other: in the SSID, in the gateways, or in the
    /// hardware behind their addresses. Another manufacturer of the access point, or another number of
    /// gateways, also counts as a difference, unless both networks have a gateway with the same known
    /// hardware address: then the gateways of one address family may have come or gone.
    package func isOther(than other: Network) -> Bool {
        guard ssid == other.ssid else { return true }
        let isShared = shares(other)
        guard isShared || routers.count == other.routers.count else { return true }
        guard
            routers.allSatisfy({ ours in
                let counterparts = other.routers.filter { $0.address == ours.address }
                return counterparts.isEmpty ? isShared : counterparts.contains(where: ours.mayBe)
            })
        else { return true }
        return !isFamily(of: other) && !isShared
    }

    /// Whether this network, which was recorded earlier, may be the same as the other one, which is current:
    /// the SSID is the same, and nothing shows a difference. Routes that are missing now may appear later.
    package func mayHaveBecome(_ other: Network) -> Bool {
        guard ssid == other.ssid, isFamily(of: other) || shares(other) else { return false }
        return routers.allSatisfy { ours in
            other.routers.allSatisfy { $0.address != ours.address || ours.mayBe($0) }
        }
    }

    /// Whether both may be the same network: the SSID is the same, and they have a gateway in common or
    /// neither has one. One common gateway suffices, because routers of the other address family come and go.
    /// If its hardware address is known to be the same, the access points may be of different manufacturers:
    /// a station that roams stays in the network.
    package func mayBe(_ other: Network) -> Bool {
        guard ssid == other.ssid else { return false }
        if shares(other) { return true }
        guard isFamily(of: other) else { return false }
        if routers.isEmpty || other.routers.isEmpty { return routers.isEmpty && other.routers.isEmpty }
        return routers.contains { ours in other.routers.contains { ours.mayBe($0) } }
    }

    /// Whether the access points may be of the same manufacturer.
    private func isFamily(of other: Network) -> Bool {
        family == nil || other.family == nil || family == other.family
    }

    /// Whether both have a gateway with the same known hardware address.
    private func shares(_ other: Network) -> Bool {
        routers.contains { $0.macAddress != nil && other.routers.contains($0) }
    }
}
