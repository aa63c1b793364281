import CNetlink
import Model

/// An address as it is saved for a bounce.
struct SavedAddress: SavedState {
    static let kind = Snapshot.Item.Kind.address

    /// The properties by which the kernel tells two addresses apart. The addresses are bytes in network
    /// order.
    struct Identity: Hashable {
        var index: InterfaceIndex
        var address: [UInt8]
        var prefixLength: UInt8
        var peer: [UInt8]
    }

    let identity: Identity
    private let address: IPAddress
    /// The value of IFA_ADDRESS: on a point-to-point link the address of the far end, otherwise the local
    /// one.
    private let peer: IPAddress
    private let header: ifaddrmsg
    private let attributes: Attributes
    private let flags: UInt32

    /// Returns nil if this is not an address, or if the kernel creates it again itself (IFA_PROTO,
    /// IFA_F_TEMPORARY).
    init?(_ payload: Bytes) {
        guard let header = payload.structure(ifaddrmsg.self), let message = AddressMessage.parse(payload)
        else { return nil }
        self.header = header
        attributes = Attributes(payload.following(ifaddrmsg.self))
        flags = attributes[IFA_FLAGS]?.number(UInt32.self) ?? UInt32(header.ifa_flags)
        if flags & UInt32(IFA_F_TEMPORARY) != 0, Int32(header.ifa_family) == AF_INET6 { return nil }
        if Self.kernelsOwn.contains(attributes[IFA_PROTO]?.number(UInt8.self) ?? 0) { return nil }
        address = message.address.address
        peer =
            attributes[IFA_ADDRESS].flatMap { IPAddress(bytes: $0, family: Int32(header.ifa_family)) }
            ?? address
        identity = Identity(
            index: message.index, address: address.bytes, prefixLength: header.ifa_prefixlen,
            peer: peer.bytes)
    }

    /// The IFA_PROTO values of addresses that the kernel creates again itself: loopback, router
    /// advertisement, link-local.
    private static let kernelsOwn: [UInt8] = [
        UInt8(IFAPROT_KERNEL_LO), UInt8(IFAPROT_KERNEL_RA), UInt8(IFAPROT_KERNEL_LL),
    ]

    var isIPv6: Bool { Int32(header.ifa_family) == AF_INET6 }

    /// Whether the address has no lifetime. Then mostly a user or a file has configured it, not DHCP or a
    /// router advertisement; `Inventory.configSource` knows the exceptions.
    var isAdministrators: Bool { flags & UInt32(IFA_F_PERMANENT) != 0 }

    var indices: [InterfaceIndex] { [identity.index] }

    /// Whether it is an IPv6 address in fe80::/10.
    var isLinkLocal: Bool { address.isIPv6LinkLocal }

    /// Whether a program maintains the route to the subnet, instead of the kernel (IFA_F_NOPREFIXROUTE).
    var isWithoutPrefixRoute: Bool { flags & UInt32(IFA_F_NOPREFIXROUTE) != 0 }

    /// Whether it is an IPv4 address that is not the first of its subnet.
    var isSecondary: Bool { !isIPv6 && flags & UInt32(IFA_F_SECONDARY) != 0 }

    /// Whether an address, given as bytes, is in the subnet of this one. False if the subnet is a single
    /// host.
    func isOnLink(_ other: [UInt8]) -> Bool {
        let mine = peer.bytes
        guard other.count == mine.count, Int(identity.prefixLength) < mine.count * 8 else { return false }
        let (whole, rest) = Int(identity.prefixLength).quotientAndRemainder(dividingBy: 8)
        let mask = ~(UInt8.max >> UInt8(rest))
        return mine.prefix(whole) == other.prefix(whole) && mine[whole] & mask == other[whole] & mask
    }

    /// The request that creates the address. It repeats all attributes of the kernel's message. The kernel
    /// ignores the state of duplicate address detection in the flags.
    var request: Request {
        Request(
            RTM_NEWADDR, flags: NLM_F_CREATE | NLM_F_EXCL, header: header,
            attributes: attributes.all.map { Request.Attribute($0.type, Array($0.payload)) })
    }

    /// The request that removes the address.
    var removal: Request {
        let names: Set<Int32> = [Int32(IFA_LOCAL), Int32(IFA_ADDRESS), Int32(IFA_LABEL)]
        return Request(
            RTM_DELADDR, flags: 0, header: header,
            attributes: attributes.all.filter { names.contains($0.type) }
                .map { Request.Attribute($0.type, Array($0.payload)) })
    }

    func order(_ comparison: Comparison) -> Request? {
        comparison.has(identity) ? nil : request
    }

    /// The address in the notation of ip-address(8).
    func description(_ names: InterfaceNames) -> String {
        var words = [isIPv6 ? "inet6" : "inet"]
        if peer != address { words += ["\(address)", "peer"] }
        words.append("\(peer)/\(identity.prefixLength)")
        if let broadcast = attributes[IFA_BROADCAST].flatMap({ IPAddress(bytes: $0) }) {
            words += ["brd", "\(broadcast)"]
        }
        words += ["dev", names[identity.index]]
        if let label = attributes[IFA_LABEL]?.text, label != names[identity.index] {
            words += ["label", label]
        }
        if let metric = attributes[IFA_RT_PRIORITY]?.number(UInt32.self) { words += ["metric", "\(metric)"] }
        words += Self.flagNames.filter { flags & UInt32($0.flag) != 0 }.map(\.name)
        return (words + lifetimeWords).joined(separator: " ")
    }

    private static let flagNames: [(flag: Int32, name: String)] = [
        (IFA_F_HOMEADDRESS, "home"), (IFA_F_MANAGETEMPADDR, "mngtmpaddr"), (IFA_F_NODAD, "nodad"),
        (IFA_F_NOPREFIXROUTE, "noprefixroute"), (IFA_F_MCAUTOJOIN, "autojoin"),
        (IFA_F_OPTIMISTIC, "optimistic"),
    ]

    private var lifetimeWords: [String] {
        guard let times = attributes[IFA_CACHEINFO]?.structure(ifa_cacheinfo.self) else { return [] }
        let both = [("valid_lft", times.ifa_valid), ("preferred_lft", times.ifa_prefered)]
        return both.filter { $0.1 != .max }.flatMap { [$0.0, String($0.1)] }
    }
}
