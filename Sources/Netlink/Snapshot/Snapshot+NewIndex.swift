import CNetlink
import Model

extension Snapshot {
    /// Returns the snapshot for an interface that has come back with another index, as happens after its
    /// driver was unbound. Every message that contains the old index gets the new one. Names inside messages
    /// (the labels of IPv4 addresses) and descriptions stay as they are.
    public func moved(from old: InterfaceIndex, to new: InterfaceIndex) -> Snapshot {
        guard old != new else { return self }
        return Snapshot(
            items: items.map { item in
                var item = item
                for place in item.places(of: old) {
                    let bytes = withUnsafeBytes(of: new.rawValue) { Array($0) }
                    item.message.replaceSubrange(place..<place + bytes.count, with: bytes)
                }
                return item
            }, addressOwner: addressOwner, hasNameServers: hasNameServers, upper: upper)
    }
}

extension Snapshot.Item {
    /// The positions in the message at which the index of this interface is.
    fileprivate func places(of index: InterfaceIndex) -> [Int] {
        guard let payload = Message.split(message).first?.payload else { return [] }
        return Self.candidates(kind, payload).filter { place in
            payload[place...].structure(Int32.self) == index.rawValue
        }
    }

    /// The positions at which a message has the index of an interface. They count from the start of the array
    /// that underlies the payload.
    private static func candidates(_ kind: Kind, _ payload: Bytes) -> [Int] {
        switch kind {
        case .link: header(payload, ifinfomsg.self, \.ifi_index)
        case .address: header(payload, ifaddrmsg.self, \.ifa_index)
        case .neighbour: header(payload, ndmsg.self, \.ndm_ifindex)
        case .nextHop: attributes(payload.following(nhmsg.self), NHA_OIF)
        case .route: route(payload.following(rtmsg.self))
        case .powerSave:
            attributes(payload.following(genlmsghdr.self), NL80211_ATTR_IFINDEX.rawValue)
        }
    }

    private static func header<Header: BitwiseCopyable, Field>(
        _ payload: Bytes, _ type: Header.Type, _ field: KeyPath<Header, Field>
    ) -> [Int] {
        guard payload.structure(type) != nil, let offset = MemoryLayout<Header>.offset(of: field) else {
            return []
        }
        return [payload.startIndex + offset]
    }

    private static func attributes(_ bytes: Bytes, _ type: some BinaryInteger) -> [Int] {
        Attributes(bytes).all.filter { $0.type == type && $0.payload.count == MemoryLayout<Int32>.size }
            .map(\.payload.startIndex)
    }

    private static func route(_ bytes: Bytes) -> [Int] {
        let multipaths = Attributes(bytes).all.filter { $0.type == Int32(RTA_MULTIPATH.rawValue) }
        let offset = MemoryLayout<rtnexthop>.offset(of: \.rtnh_ifindex)!
        return attributes(bytes, RTA_OIF.rawValue)
            + multipaths.flatMap { HopMessage.split($0.payload) }.map { $0.start + offset }
    }
}
