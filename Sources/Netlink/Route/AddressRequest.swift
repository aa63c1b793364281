import CNetlink
import Model

/// Requests addresses (RTM_GETADDR, rtnetlink(7)).
enum AddressRequest {
    /// Requests the addresses of one interface, both families. A kernel before 4.20 sends the addresses of
    /// all interfaces.
    static func of(_ index: InterfaceIndex) -> Request {
        var header = ifaddrmsg()
        header.ifa_family = UInt8(AF_UNSPEC)
        header.ifa_index = UInt32(bitPattern: index.rawValue)
        return Request(RTM_GETADDR, flags: NLM_F_DUMP, header: header)
    }
}

extension Conversation {
    mutating func addresses(of index: InterfaceIndex) throws(Failure) -> [InterfaceAddress] {
        try addressMessages(of: index).map(\.address)
    }

    /// The addresses of an interface, in the kernel's order.
    mutating func addressMessages(of index: InterfaceIndex) throws(Failure) -> [AddressMessage] {
        try ask(AddressRequest.of(index), of: route)
            .compactMap { $0.type == RTM_NEWADDR ? AddressMessage.parse($0.payload) : nil }
            .filter { $0.index == index }
    }
}
