import CNetlink
import Model

/// Receives the kernel's announcements of changes to links, addresses, routes, neighbours and Wi-Fi
/// connections.
///
/// Reads on the event loop: multicast messages wait in the socket and never block the reader. Once the
/// monitor is released, its handler is not called any more.
@MainActor
public final class NetlinkMonitor {
    public enum Notification: Equatable, Sendable {
        /// RTM_NEWLINK with a name and an operational state. Messages that contain only some attributes are
        /// not reported.
        case linkChanged(Link)
        /// The kernel itself, and no program, has set the link down; `linkChanged` follows. The kernel does
        /// this when a driver could not restart its device, when rfkill blocks the radio, and when the
        /// interface leaves a bond or a team.
        case linkClosed(InterfaceIndex)
        /// RTM_DELLINK: an interface was removed.
        case linkRemoved(InterfaceIndex)
        /// RTM_NEWADDR: an address was added or changed.
        case addressChanged(InterfaceIndex)
        /// RTM_DELADDR: an address was removed.
        case addressRemoved(InterfaceIndex)
        /// RTM_NEWROUTE, RTM_NEWNEXTHOP: a route through this interface, or its nexthop object, was added or
        /// changed.
        case routeChanged(InterfaceIndex)
        /// RTM_DELROUTE, RTM_DELNEXTHOP: a route through this interface, or its nexthop object, was removed.
        /// The kernel announces no removal of the IPv4 routes that it drops when it sets a link down, or of
        /// those that it drops together with a nexthop object.
        case routeRemoved(InterfaceIndex)
        /// RTM_NEWNEXTHOP: a group of nexthop objects, which belongs to no interface, was added or changed.
        case nextHopGroupChanged
        /// RTM_DELNEXTHOP: a group of nexthop objects was removed, and with it the routes through it.
        case nextHopGroupRemoved
        /// A neighbour entry was added or changed (RTM_NEWNEIGH), or removed (RTM_DELNEIGH). The state of a
        /// removed entry is `none`.
        case neighbourChanged(InterfaceIndex, IPAddress, Neighbour)
        /// The station has associated, or roamed to another access point. Its keys may not be installed yet.
        case wirelessConnected(InterfaceIndex)
        case wirelessDisconnected(InterfaceIndex, Disconnection)
        /// The station sent or received a deauthentication frame. If it was associated,
        /// `wirelessDisconnected` is reported as well. `isByDriver`: the driver itself has ended the
        /// association, and wants the station to connect again (NL80211_ATTR_RECONNECT_REQUESTED).
        case deauthenticated(InterfaceIndex, isByDriver: Bool)
        /// An authentication or association with an access point has ended, with any result, or a connection
        /// has failed.
        case joinAttempted(InterfaceIndex)
        /// The kernel now has nl80211: its module was loaded, perhaps again.
        case wirelessAppeared
        /// A scan has started, whichever program requested it.
        case scanBegun(InterfaceIndex, Scan)
        /// A scan has ended, whichever program requested it, and its results can be read. The end of an
        /// aborted scan (NL80211_CMD_SCAN_ABORTED) is not reported.
        case scanFinished(InterfaceIndex)
        /// Announcements were lost (ENOBUFS), or the socket failed and was opened again. Any stored state may
        /// be outdated: read it again.
        case overran
        /// The socket failed and could not be opened again. No further notifications follow.
        case monitorFailed(Failure)
    }

    /// The kinds of announcements to receive. The kernel does not wake this process for any other kind.
    public struct Topics: OptionSet, Sendable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let links = Topics(rawValue: 1 << 0)
        public static let addresses = Topics(rawValue: 1 << 1)
        /// Routes and nexthop objects.
        public static let routes = Topics(rawValue: 1 << 2)
        public static let neighbours = Topics(rawValue: 1 << 3)
        /// nl80211's groups "mlme" and "scan". They are joined even if the module is loaded later.
        public static let wireless = Topics(rawValue: 1 << 4)
        /// nl80211's group "scan" only.
        public static let scans = Topics(rawValue: 1 << 5)
    }

    private let topics: Topics
    private let receiveBuffer: Int32
    private let handler: @MainActor (Notification) -> Void
    private(set) var listeners: [Listener] = []

    /// Opens the sockets in the network namespace of the calling thread. `handler` is called on the event
    /// loop. Fails with the errno of the call that failed.
    public convenience init(
        _ topics: Topics, handler: @escaping @MainActor (Notification) -> Void
    ) throws(Failure) {
        try self.init(topics, receiveBuffer: NetlinkSocket.receiveBuffer, handler: handler)
    }

    /// - Parameter receiveBuffer: the size of the receive buffer in bytes (SO_RCVBUF, socket(7)).
    init(
        _ topics: Topics, receiveBuffer: Int32, handler: @escaping @MainActor (Notification) -> Void
    ) throws(Failure) {
        self.topics = topics
        self.receiveBuffer = receiveBuffer
        self.handler = handler
        listeners = try open()
    }

    isolated deinit { for listener in listeners { listener.stop() } }

    /// Checks that each socket still works, because a socket may stop without an error. If one is closed, or
    /// has lost a group, all are opened again, and `.overran` is reported; `.monitorFailed` if that fails.
    public func check() {
        if !listeners.allSatisfy(\.canHear) { reopen() }
    }

    private func reopen() {
        for listener in listeners { listener.stop() }
        do throws(Failure) {
            listeners = try open()
            handler(.overran)
        } catch {
            listeners = []
            handler(.monitorFailed(error))
        }
    }

    private func open() throws(Failure) -> [Listener] {
        var listeners: [Listener] = []
        let groups = RouteEvents.groups(of: topics)
        if !groups.isEmpty {
            let socket = try NetlinkSocket(NETLINK_ROUTE, receiveBuffer: receiveBuffer)
            for group in groups { try socket.join(group) }
            // Linux before 5.3 has neither nexthop objects nor this group.
            if topics.contains(.routes) { try? socket.join(Int32(RTNLGRP_NEXTHOP.rawValue)) }
            let handler = handler
            listeners.append(
                try listener(to: socket) { message in
                    RouteEvents.notifications(of: message).forEach(handler)
                })
        }
        if !topics.isDisjoint(with: [.wireless, .scans]) {
            let socket = try NetlinkSocket(NETLINK_GENERIC, receiveBuffer: receiveBuffer)
            let announcements = try NL80211Events(
                socket, scansAlone: !topics.contains(.wireless))
            let handler = handler
            listeners.append(
                try listener(to: socket) { message in
                    if let notification = announcements.notification(of: message) { handler(notification) }
                })
        }
        return listeners
    }

    private func listener(
        to socket: NetlinkSocket, _ heard: @escaping @MainActor (Message) -> Void
    ) throws(Failure) -> Listener {
        try Listener(
            to: socket, overran: { [handler] in handler(.overran) },
            broke: { [weak self] in self?.reopen() }, heard: heard)
    }
}
