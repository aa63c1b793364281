import CNetlink
import Model

/// A Wi-Fi interface as nl80211 reports it (NL80211_CMD_NEW_INTERFACE, the answer to
/// NL80211_CMD_GET_INTERFACE; linux/nl80211.h).
struct InterfaceMessage {
    var index: InterfaceIndex
    var role: Wireless.Role
    /// The number of the radio (NL80211_ATTR_WIPHY).
    var phy: UInt32
    /// The name of the network (NL80211_ATTR_SSID); a station has one while it is connected or connecting.
    var ssid: SSID?
    /// The frequency in MHz (NL80211_ATTR_WIPHY_FREQ).
    var frequency: UInt32?

    /// Returns nil for an interface outside the network stack: a P2P device has no interface index.
    static func parse(_ payload: Bytes) -> InterfaceMessage? {
        guard let message = GenericMessage.parse(payload), message.isCommand(NL80211_CMD_NEW_INTERFACE),
            let index = message.attributes[NL80211_ATTR_IFINDEX]?.interfaceIndex,
            let phy = message.attributes[NL80211_ATTR_WIPHY]?.number(UInt32.self),
            let type = message.attributes[NL80211_ATTR_IFTYPE]?.number(UInt32.self)
        else { return nil }
        return InterfaceMessage(
            index: index, role: Wireless.Role(type: type), phy: phy,
            ssid: message.attributes[NL80211_ATTR_SSID].flatMap(SSID.init(validating:)),
            frequency: message.attributes[NL80211_ATTR_WIPHY_FREQ]?.number(UInt32.self))
    }

    /// Requests one interface, or all of them if `index` is nil.
    static func request(family: UInt16, index: InterfaceIndex?) -> Request {
        .nl80211(
            NL80211_CMD_GET_INTERFACE, family: family, index: index, flags: index == nil ? NLM_F_DUMP : 0)
    }
}

extension Request {
    static func nl80211(
        _ command: nl80211_commands, family: UInt16, index: InterfaceIndex?, flags: Int32
    ) -> Request {
        var header = genlmsghdr()
        header.cmd = UInt8(command.rawValue)
        let attribute = index.map { Attribute(NL80211_ATTR_IFINDEX, Array(of: $0.rawValue)) }
        return Request(family, flags: flags, header: header, attributes: attribute.map { [$0] } ?? [])
    }
}

extension SSID {
    /// The most bytes of an SSID (IEEE 802.11, 9.4.2.2).
    static let maximumLength = 32

    /// Returns nil if the name is empty, as for a hidden network, or longer than an SSID can be.
    init?(validating bytes: Bytes) {
        guard (1...Self.maximumLength).contains(bytes.count) else { return nil }
        self.init(bytes)
    }
}

extension Wireless.Role {
    /// Converts a value of enum nl80211_iftype (linux/nl80211.h).
    init(type: UInt32) {
        switch nl80211_iftype(rawValue: type) {
        case NL80211_IFTYPE_STATION: self = .station
        case NL80211_IFTYPE_AP: self = .accessPoint
        case NL80211_IFTYPE_MONITOR: self = .monitor
        case NL80211_IFTYPE_ADHOC: self = .adHoc
        case NL80211_IFTYPE_MESH_POINT: self = .mesh
        case NL80211_IFTYPE_P2P_CLIENT: self = .p2pClient
        case NL80211_IFTYPE_P2P_GO: self = .p2pGroupOwner
        default: self = .other(type)
        }
    }

    /// Whether an interface in this role associates with an access point.
    var isClient: Bool { self == .station || self == .p2pClient }
}
