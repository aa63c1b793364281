import CNetlink
import Toggling

/// An address as it is kept over a bounce.
struct SavedAddress {
    struct Identity: Hashable {
        var address: IPAddress
        var prefixLength: UInt8
    }

    let identity: Identity
    private let header: ifaddrmsg
    private let attributes: Attributes
    private let flags: UInt32

    /// nil: not an address of this interface, or one that the kernel makes itself (link-local), or a
    /// temporary one.
    init?(_ payload: Bytes, on index: InterfaceIndex) {
        guard let header = payload.structure(ifaddrmsg.self), let message = AddressMessage.parse(payload),
            message.index == index, UInt32(header.ifa_scope) < RT_SCOPE_LINK.rawValue
        else { return nil }
        self.header = header
        attributes = Attributes(payload.following(ifaddrmsg.self))
        flags = attributes[IFA_FLAGS]?.number(UInt32.self) ?? UInt32(header.ifa_flags)
        if flags & UInt32(IFA_F_SECONDARY) != 0, Int32(header.ifa_family) == AF_INET6 { return nil }
        identity = Identity(address: message.address.address, prefixLength: message.address.prefixLength)
    }

    /// Without a lifetime: given by a person or a file, not by DHCP or a router advertisement.
    var isAdministrators: Bool { flags & UInt32(IFA_F_PERMANENT) != 0 }

    /// The message that gives the address again.
    var request: Request {
        Request(
            RTM_NEWADDR, flags: NLM_F_CREATE | NLM_F_EXCL, header: header,
            attributes: attributes.all.map { Request.Attribute($0.type, Array($0.payload)) })
    }

    /// In the words of ip-address(8).
    func words(interfaceName: String) -> String {
        let family = Int32(header.ifa_family) == AF_INET ? "inet" : "inet6"
        return "\(family) \(identity.address)/\(identity.prefixLength) dev \(interfaceName)"
    }
}
