/// What the kernel knows about one interface at one moment, read without sending a packet; and other facts on
/// which a bounce depends, most of them only if requested.
public struct KernelState: Codable, Hashable, Sendable {
    public var link: Link
    public var radio: RadioBlock
    /// What nl80211 reports; nil: not a Wi-Fi interface.
    public var wireless: Wireless?
    /// The addresses of the interface, or of the master whose traffic passes through it (``Port/upper``).
    public var addresses: [InterfaceAddress]
    /// The next hops of the routes of the interface that has `addresses`, from all tables and both address
    /// families. Each address appears once, those of default routes first.
    public var gateways: [Gateway]
    /// The administrator's hold on the interface; nil: there is none.
    public var administrativeHold: AdministrativeHold?
    /// When the current quiet hours end; nil: there are none now.
    public var quietUntil: Instant?
    /// The logins over the interface; nil: not requested.
    public var logins: [Login]?
    /// The hosts heard recently over the interface, at most one for each ``Liveness/Manner``; nil: not
    /// requested.
    public var liveness: [Liveness]?
    /// Whether a Wi-Fi station saves power; nil: not requested, or the driver does not report it.
    public var savesPower: Bool?
    /// Why an owner will not connect the interface by itself, or why systemd-resolved does not resolve names;
    /// nil: not requested, or no such condition was found.
    public var ownerCondition: OwnerCondition?
    /// Why the radio cannot connect; nil: not requested, or no such condition is known. The condition `closed` is
    /// always reported.
    public var radioCondition: RadioCondition?
    /// What decides whether the machine may be rebooted; nil: not requested.
    public var rebootState: RebootState?

    public init(
        link: Link, radio: RadioBlock = .none, wireless: Wireless? = nil, addresses: [InterfaceAddress] = [],
        gateways: [Gateway] = [], administrativeHold: AdministrativeHold? = nil, quietUntil: Instant? = nil,
        logins: [Login]? = nil, liveness: [Liveness]? = nil, savesPower: Bool? = nil,
        ownerCondition: OwnerCondition? = nil, radioCondition: RadioCondition? = nil,
        rebootState: RebootState? = nil
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
        self.ownerCondition = ownerCondition
        self.radioCondition = radioCondition
        self.rebootState = rebootState
    }
}

extension KernelState {
    /// What to read in addition. Each item costs a query of its own.
    public struct Details: Encodable, Hashable, Sendable {
        /// Whether to read the logins over the interface (`logins`).
        public var logins: Bool
        /// Whether to read the hosts that were heard within this duration (`liveness`); nil: no.
        public var livenessWithin: Duration?
        /// Whether to read if a Wi-Fi station saves power (`savesPower`).
        public var powerSave: Bool
        /// Whether to ask the owner if it will connect the interface by itself (`ownerCondition`), and to
        /// find out if the radio of a station that is not associated can connect (`radioCondition`).
        public var ownerCondition: Bool
        /// The lookup with which to test systemd-resolved, if `ownerCondition` is true. The condition of
        /// systemd-resolved is then read (`ownerCondition`) instead of the conditions of the owner and the
        /// radio. nil: systemd-resolved is not suspected.
        public var failedLookup: FailedLookup?
        /// Whether to read what a reboot depends on (`rebootState`).
        public var rebootState: Bool
        /// Whether to find out, for an interface that does not exist, if its device has lost it. If it has,
        /// the answer is the last state in which the link was up, with the loss as `radioCondition`, and with
        /// the present hold and quiet hours.
        public var lossOfInterface: Bool

        public init(
            logins: Bool = false, livenessWithin: Duration? = nil, powerSave: Bool = false,
            ownerCondition: Bool = false, failedLookup: FailedLookup? = nil, rebootState: Bool = false,
            lossOfInterface: Bool = false
        ) {
            self.logins = logins
            self.livenessWithin = livenessWithin
            self.powerSave = powerSave
            self.ownerCondition = ownerCondition
            self.failedLookup = failedLookup
            self.rebootState = rebootState
            self.lossOfInterface = lossOfInterface
        }

        public static let none = Details()
    }
}

/// An address of an interface (RTM_GETADDR, rtnetlink(7)).
public struct InterfaceAddress: Codable, Hashable, Sendable {
    public var address: IPAddress
    public var prefixLength: UInt8
    /// Whether the address is valid beyond the link: scope global or site (RT_SCOPE_UNIVERSE, RT_SCOPE_SITE,
    /// linux/rtnetlink.h), and not an IPv4 link-local address.
    public var reachesBeyondLink: Bool
    /// Whether duplicate address detection is still running or has failed (IFA_F_TENTATIVE, IFA_F_DADFAILED,
    /// linux/if_addr.h).
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
    /// The gateway's entry in the kernel's neighbour table; nil: none.
    public var neighbour: Neighbour?

    public init(address: IPAddress, neighbour: Neighbour? = nil) {
        self.address = address
        self.neighbour = neighbour
    }
}

/// An entry of the neighbour table (RTM_GETNEIGH, rtnetlink(7); NUD_*, linux/neighbour.h).
public struct Neighbour: Codable, Hashable, Sendable {
    /// The state of the entry (ip-neighbour(8)).
    public enum State: String, Codable, Hashable, Sendable, CaseIterable {
        case none, incomplete, reachable, stale, delay, probe, failed, noARP, permanent
    }

    public var state: State
    public var macAddress: MACAddress?
    /// How long ago the neighbour was last confirmed reachable (nda_cacheinfo.ndm_confirmed); nil: the kernel
    /// does not report it.
    public var confirmed: Duration?

    public init(state: State, macAddress: MACAddress? = nil, confirmed: Duration? = nil) {
        self.state = state
        self.macAddress = macAddress
        self.confirmed = confirmed
    }
}

/// Conclusions from a kernel state alone.
extension KernelState {
    /// A gateway that was confirmed reachable within this duration needs no probe. A connection in use
    /// confirms it many times a second; an older confirmation may precede the fault.
    package static let freshness: Duration = .seconds(1)

    /// The lowest layer that is at fault according to the kernel itself; nil: none.
    public var fault: (layer: Layer, reason: Reason)? {
        if radio != .none { return (.radio, .radioBlocked(radio)) }
        guard link.isUp else {
            let isClosed = radioCondition == .closed
            return isClosed ? (.association, .closedByKernel) : (.radio, .administrativelyDown)
        }
        if let wireless, wireless.role == .station {
            guard wireless.association != nil else { return (.association, .notAssociated) }
            guard link.isOperational else { return (.association, .notAuthorised(link.operationalState)) }
        } else if !link.isOperational {
            return (.association, .noCarrier)
        }
        guard link.hasUpperLayers else { return nil }
        let usable = addresses.filter(\.reachesBeyondLink)
        if usable.isEmpty { return (.address, .noAddress) }
        return usable.allSatisfy(\.isTentative) ? (.address, .addressNotReady) : nil
    }

    /// Why this state's ``fault`` may be intended, so that the verdict is unknown instead of sick; nil: there
    /// is no fault, or it is not intended. A new station may have no network to join. A master works without
    /// an address of its own: the addresses may be on a VLAN or a bridge above the master, or the master may
    /// only forward frames (layer 2).
    /// - Parameters:
    ///   - isNew: whether nothing is known of the interface from before this check.
    ///   - wasHealthy: whether the link was healthy before with the same ``Port/upper`` interface.
    package func reasonToWait(isNew: Bool, wasHealthy: Bool) -> Reason? {
        switch fault?.reason {
        // Realtek's own drivers switch the carrier on with the link, until an attempt to join fails.
        case .notAssociated? where isNew && (link.hadCarrier == false || link.hasCarrier): .neverAssociated
        case .noAddress? where link.port?.traffic == .masters && !wasHealthy: .noAddress
        default: nil
        }
    }

    /// The name under which a healthy link is recorded among the ``KnownTargets``; nil: it is not recorded,
    /// because it is neither an associated station nor a port with an ``Port/upper`` interface.
    package var healthyTarget: String? {
        let upper = link.port?.upper
        guard wireless?.association != nil || upper != nil else { return nil }
        return "link" + (upper.map { " \($0.name)" } ?? "")
    }

    /// The gateways that can be probed. While every IPv6 address is tentative, the kernel sends no neighbour
    /// solicitation (RFC 4862, section 5.4), and the silence of an IPv6 gateway would mean nothing.
    package var askableGateways: [Gateway] {
        let speaksIPv6 = addresses.contains { $0.address.isIPv6 && !$0.isTentative }
        return gateways.filter { speaksIPv6 || !$0.address.isIPv6 }
    }

    /// The first gateway that the kernel confirmed as reachable within `limit`, and how long ago; nil: none.
    package func confirmedGateway(within limit: Duration) -> (address: IPAddress, ago: Duration)? {
        for gateway in gateways {
            guard let neighbour = gateway.neighbour, neighbour.state == .reachable,
                let ago = neighbour.confirmed, ago <= limit
            else { continue }
            return (gateway.address, ago)
        }
        return nil
    }

    /// What was found to be wrong with the owner and the radio; empty: nothing, or they were not examined.
    package var conditions: [Evidence] {
        [radioCondition.map { .radioCondition($0) }, ownerCondition.map { .owner($0) }].compactMap(\.self)
    }

    /// The evidence that this state gives, from the lowest layer up.
    package func evidence(since last: CounterSample?, at now: Instant) -> [Evidence] {
        var evidence: [Evidence] = [.radio(radio), .administrative(isUp: link.isUp)]
        if wireless?.role == .station { evidence.append(.association(wireless?.association)) }
        evidence.append(.operational(link.operationalState, hasCarrier: link.hasCarrier))
        if let port = link.port { evidence.append(.port(port)) }
        if link.hasUpperLayers { evidence += [.addresses(addresses), .gateways(gateways)] }
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

    /// Whether the link has sent packets since the last check and received none. If so, an old confirmation
    /// of a gateway proves little.
    package func isMute(since last: CounterSample?, at now: Instant) -> Bool {
        guard case .traffic(let received, let sent, _) = traffic(since: last, at: now) else { return false }
        return received == 0 && sent > 0
    }
}

/// The packet counters of the interface at an earlier check.
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
