/// All that the kernel knows of one interface at one moment, asked without sending a packet.
public struct KernelState: Codable, Hashable, Sendable {
    public var link: Link
    public var radio: RadioBlock
    /// nil: not a Wi-Fi interface.
    public var wireless: Wireless?
    public var addresses: [InterfaceAddress]
    /// The next hops of the interface's own routes, every table, both families; each address once, those of
    /// default routes first.
    public var gateways: [Gateway]
    /// nil: nobody wants the interface left alone.
    public var administrativeHold: AdministrativeHold?
    /// When the quiet hours at hand are over; nil: these are none.
    public var quietUntil: Instant?
    /// Who is logged in over it; nil: that was not asked.
    public var logins: [Login]?
    /// Who was heard over it of late, one of each manner at most; nil: that was not asked.
    public var liveness: [Liveness]?
    /// Whether a Wi-Fi station saves power; nil: that was not asked, or the driver does not tell.
    public var savesPower: Bool?

    public init(
        link: Link, radio: RadioBlock = .none, wireless: Wireless? = nil, addresses: [InterfaceAddress] = [],
        gateways: [Gateway] = [], administrativeHold: AdministrativeHold? = nil, quietUntil: Instant? = nil,
        logins: [Login]? = nil, liveness: [Liveness]? = nil, savesPower: Bool? = nil
    ) {
        self.link = link
        self.radio = radio
        self.wireless = wireless
        self.addresses = addresses
        self.gateways = gateways
        self.administrativeHold = administrativeHold
        self.quietUntil = quietUntil
        self.logins = logins
        self.liveness = liveness
        self.savesPower = savesPower
    }
}

extension KernelState {
    /// What a question asks for beyond what is always read: each costs a question of its own.
    public struct Details: Codable, Hashable, Sendable {
        /// Who is logged in over the interface: `logins`.
        public var logins: Bool
        /// Who was heard over it within this time: `liveness`; nil: that is not asked.
        public var livenessWithin: Duration?
        /// Whether a Wi-Fi station saves power: `savesPower`.
        public var powerSave: Bool

        public init(logins: Bool = false, livenessWithin: Duration? = nil, powerSave: Bool = false) {
            self.logins = logins
            self.livenessWithin = livenessWithin
            self.powerSave = powerSave
        }

        public static let none = Details()
    }
}

/// An address of an interface (RTM_GETADDR, rtnetlink(7)).
public struct InterfaceAddress: Codable, Hashable, Sendable {
    public var address: IPAddress
    public var prefixLength: UInt8
    /// Usable beyond the link: scope global or site (RT_SCOPE_UNIVERSE, RT_SCOPE_SITE).
    public var reachesBeyondLink: Bool
    /// Duplicate address detection still runs or has failed (IFA_F_TENTATIVE, IFA_F_DADFAILED).
    public var isTentative: Bool

    public init(address: IPAddress, prefixLength: UInt8, reachesBeyondLink: Bool, isTentative: Bool = false) {
        self.address = address
        self.prefixLength = prefixLength
        self.reachesBeyondLink = reachesBeyondLink
        self.isTentative = isTentative
    }
}

/// A next hop of one of the interface's routes.
public struct Gateway: Codable, Hashable, Sendable {
    public var address: IPAddress
    /// What the kernel's neighbour table says of it; nil: no entry.
    public var neighbour: Neighbour?

    public init(address: IPAddress, neighbour: Neighbour? = nil) {
        self.address = address
        self.neighbour = neighbour
    }
}

/// An entry of the neighbour table (RTM_GETNEIGH, rtnetlink(7); NUD_*, linux/neighbour.h).
public struct Neighbour: Codable, Hashable, Sendable {
    public enum State: String, Codable, Hashable, Sendable, CaseIterable {
        case none, incomplete, reachable, stale, delay, probe, failed, noARP, permanent
    }

    public var state: State
    public var macAddress: MACAddress?
    /// Since the neighbour last proved that it hears us (nda_cacheinfo.ndm_confirmed); nil where the kernel
    /// does not tell.
    public var confirmed: Duration?

    public init(state: State, macAddress: MACAddress? = nil, confirmed: Duration? = nil) {
        self.state = state
        self.macAddress = macAddress
        self.confirmed = confirmed
    }
}

/// What follows from a kernel state alone, without a packet.
extension KernelState {
    /// A gateway that proved within this span that it hears us needs no question. A connection in use proves
    /// it many times a second; an older proof may be older than the fault.
    package static let freshness: Duration = .seconds(1)

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
    package var askableGateways: [Gateway] {
        let speaksIPv6 = addresses.contains { $0.address.isIPv6 && !$0.isTentative }
        return gateways.filter { speaksIPv6 || !$0.address.isIPv6 }
    }

    /// The gateway that proved within `limit` that it hears us, and how long ago; nil: none did.
    package func confirmedGateway(within limit: Duration) -> (address: IPAddress, ago: Duration)? {
        for gateway in gateways {
            guard let neighbour = gateway.neighbour, neighbour.state == .reachable,
                let ago = neighbour.confirmed, ago <= limit
            else { continue }
            return (gateway.address, ago)
        }
        return nil
    }

    /// What was seen, from the bottom up.
    package func evidence(since last: CounterSample?, at now: Instant) -> [Evidence] {
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
    package func isMute(since last: CounterSample?, at now: Instant) -> Bool {
        guard case .traffic(let received, let sent, _) = traffic(since: last, at: now) else { return false }
        return received == 0 && sent > 0
    }
}

/// The counters of the interface at an earlier look.
package struct CounterSample: Hashable, Sendable {
    package var index: InterfaceIndex
    package var counters: LinkCounters
    package var at: Instant

    package init(index: InterfaceIndex, counters: LinkCounters, at: Instant) {
        self.index = index
        self.counters = counters
        self.at = at
    }
}
