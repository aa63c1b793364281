/// What follows from a kernel state alone, without a packet.
extension KernelState {
    /// A gateway that proved within this span that it hears us needs no question. A connection in use proves
    /// it many times a second; an older proof may be older than the fault.
    static let freshness: Duration = .seconds(1)

    /// The lowest layer that the kernel itself knows to be at fault; nil: none.
    public var fault: (layer: Layer, reason: Reason)? {
        if radio != .none { return (.radio, .radioBlocked(radio)) }
        if !link.isUp { return (.radio, .administrativelyDown) }
        if let wireless, wireless.role == .station {
            guard wireless.association != nil else { return (.association, .notAssociated) }
            guard link.isOperational else { return (.association, .notAuthorised(link.operationalState)) }
        } else if !link.isOperational {
            return (.association, .noCarrier)
        }
        let usable = addresses.filter(\.reachesBeyondLink)
        if usable.isEmpty { return (.address, .noAddress) }
        return usable.allSatisfy(\.isTentative) ? (.address, .addressNotReady) : nil
    }

    /// The gateways that can be asked at all: while every IPv6 address is tentative no solicitation leaves
    /// (RFC 4862, section 5.4), and silence would say nothing.
    var askableGateways: [Gateway] {
        let speaksIPv6 = addresses.contains { $0.address.isIPv6 && !$0.isTentative }
        return gateways.filter { speaksIPv6 || !$0.address.isIPv6 }
    }

    /// The gateway that proved within `limit` that it hears us, and how long ago; nil: none did.
    func confirmedGateway(within limit: Duration) -> (address: IPAddress, ago: Duration)? {
        for gateway in gateways {
            guard let neighbour = gateway.neighbour, neighbour.state == .reachable,
                let ago = neighbour.confirmed, ago <= limit
            else { continue }
            return (gateway.address, ago)
        }
        return nil
    }

    /// What was seen, from the bottom up.
    func evidence(since last: CounterSample?, at now: Instant) -> [Evidence] {
        var evidence: [Evidence] = [.radio(radio), .administrative(isUp: link.isUp)]
        if wireless?.role == .station { evidence.append(.association(wireless?.association)) }
        evidence += [
            .operational(link.operationalState, hasCarrier: link.hasCarrier), .addresses(addresses),
            .gateways(gateways),
        ]
        if let traffic = traffic(since: last, at: now) { evidence.append(traffic) }
        return evidence
    }

    private func traffic(since last: CounterSample?, at now: Instant) -> Evidence? {
        guard let last, let counters = link.counters, last.index == link.index,
            counters.receivedPackets >= last.counters.receivedPackets,
            counters.sentPackets >= last.counters.sentPackets
        else { return nil }
        return .traffic(
            received: counters.receivedPackets - last.counters.receivedPackets,
            sent: counters.sentPackets - last.counters.sentPackets, over: now - last.at)
    }

    /// Whether packets went out since the last check and none came in: then an old proof proves little.
    func isMute(since last: CounterSample?, at now: Instant) -> Bool {
        guard case .traffic(let received, let sent, _) = traffic(since: last, at: now) else { return false }
        return received == 0 && sent > 0
    }
}

/// The counters of the interface at an earlier look.
struct CounterSample: Hashable, Sendable {
    var index: InterfaceIndex
    var counters: LinkCounters
    var at: Instant
}
