import CNetlink
import Dispatch
import Model

/// Converts nl80211's multicast messages to notifications. Joins nl80211's groups when it is created, and
/// again whenever the kernel announces the family, because the module may be loaded later, or loaded again
/// with other numbers.
@MainActor
final class NL80211Events {
    private let socket: NetlinkSocket
    private let groups: [String]
    private var family: UInt16?
    private var driversEnd = DriversEnd()

    /// How long the kernel may take to list its families. It normally answers at once.
    private static let timeout = DispatchTimeInterval.seconds(2)
    /// The number of the controller's multicast group "notify". It equals the number of its family.
    private static let notifyGroup = GENL_ID_CTRL

    /// - Parameter scansAlone: whether to leave out the events about associations.
    init(_ socket: NetlinkSocket, scansAlone: Bool = false) throws(Failure) {
        self.socket = socket
        groups = (scansAlone ? [] : [NL80211_MULTICAST_GROUP_MLME]) + [NL80211_MULTICAST_GROUP_SCAN]
        try socket.join(Int32(Self.notifyGroup))
        let transport = Transport(socket)
        var kernel = Conversation(
            route: transport, generic: transport, sequence: 0, deadline: .now() + Self.timeout)
        if let known = try kernel.family(named: NL80211_GENL_NAME) { try follow(known) }
    }

    func notification(of message: Message) -> NetlinkMonitor.Notification? {
        guard message.type >= NLMSG_MIN_TYPE else { return nil }
        if Int(message.type) == Int(GENL_ID_CTRL) {
            guard let announced = Family.parse(message.payload), announced.name == NL80211_GENL_NAME else {
                return nil
            }
            // If joining a group fails, no events arrive, as on a machine without Wi-Fi.
            try? follow(announced)
            return .wirelessAppeared
        }
        guard let family, message.type == Int32(family) else { return nil }
        return WirelessEvent.parse(message.payload).map { driversEnd.corrected($0) }
    }

    private func follow(_ announced: Family) throws(Failure) {
        family = announced.id
        for name in groups {
            if let group = announced.groups[name] { try socket.join(group) }
        }
    }
}

/// An association that the driver itself has ended, for example after its firmware crashed
/// (`ieee80211_disconnect` in net/mac80211/mlme.c). The event about the end of the association has the reason of a
/// station that leaves the network. Only the event directly before it shows that the driver wants the station
/// to connect again (`cfg80211_process_deauth` in net/wireless/mlme.c).
struct DriversEnd {
    private var index: InterfaceIndex?

    /// The event, without a reason if the driver has ended the association.
    mutating func corrected(_ event: NetlinkMonitor.Notification) -> NetlinkMonitor.Notification {
        let last = index
        index = nil
        switch event {
        case .deauthenticated(let index, isByDriver: true): self.index = index
        case .wirelessDisconnected(let index, let end) where index == last:
            return .wirelessDisconnected(index, Disconnection(isByAccessPoint: end.isByAccessPoint))
        default: break
        }
        return event
    }
}

/// Parses the messages of nl80211's multicast groups "mlme" and "scan" (linux/nl80211.h).
enum WirelessEvent {
    static func parse(_ payload: Bytes) -> NetlinkMonitor.Notification? {
        guard let message = GenericMessage.parse(payload),
            let index = message.attributes[NL80211_ATTR_IFINDEX]?.interfaceIndex
        else { return nil }
        switch nl80211_commands(rawValue: UInt32(message.command)) {
        case NL80211_CMD_CONNECT:
            let status = message.attributes[NL80211_ATTR_STATUS_CODE]?.number(UInt16.self)
            return status == 0 ? .wirelessConnected(index) : .joinAttempted(index)
        case NL80211_CMD_ROAM:
            return .wirelessConnected(index)
        case NL80211_CMD_DISCONNECT:
            return .wirelessDisconnected(
                index,
                Disconnection(
                    reason: message.attributes[NL80211_ATTR_REASON_CODE]?.number(),
                    isByAccessPoint: message.attributes[NL80211_ATTR_DISCONNECTED_BY_AP] != nil))
        case NL80211_CMD_DEAUTHENTICATE:
            let isByDriver = message.attributes[NL80211_ATTR_RECONNECT_REQUESTED] != nil
            return .deauthenticated(index, isByDriver: isByDriver)
        case NL80211_CMD_AUTHENTICATE, NL80211_CMD_ASSOCIATE:
            return .joinAttempted(index)
        case NL80211_CMD_TRIGGER_SCAN:
            return .scanBegun(index, Scan(attributes: message.attributes))
        case NL80211_CMD_NEW_SCAN_RESULTS:
            return .scanFinished(index)
        default:
            return nil
        }
    }
}
