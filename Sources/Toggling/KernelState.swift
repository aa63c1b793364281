/// All that the kernel knows of one interface at one moment, asked without sending a packet.
public struct KernelState: Hashable, Sendable {
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

/// An address of an interface (RTM_GETADDR, rtnetlink(7)).
public struct InterfaceAddress: Hashable, Sendable {
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
public struct Gateway: Hashable, Sendable {
    public var address: IPAddress
    /// What the kernel's neighbour table says of it; nil: no entry.
    public var neighbour: Neighbour?

    public init(address: IPAddress, neighbour: Neighbour? = nil) {
        self.address = address
        self.neighbour = neighbour
    }
}

/// An entry of the neighbour table (RTM_GETNEIGH, rtnetlink(7); NUD_*, linux/neighbour.h).
public struct Neighbour: Hashable, Sendable {
    public enum State: Hashable, Sendable, CaseIterable {
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
