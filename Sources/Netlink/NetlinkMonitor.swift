import CNetlink
import Model

/// Receives what the kernel announces about links, addresses, routes, neighbours and Wi-Fi connections.
///
/// Reads on the event loop: multicasts wait in the socket and never block the reader. After its release it
/// reports nothing more.
@MainActor
public final class NetlinkMonitor {
    public enum Notification: Equatable, Sendable {
        /// RTM_NEWLINK with name and operational state; other messages contain only some attributes.
        case linkChanged(Link)
        /// RTM_DELLINK.
        case linkRemoved(InterfaceIndex)
        /// RTM_NEWADDR: an address came or changed.
        case addressChanged(InterfaceIndex)
        /// RTM_DELADDR.
        case addressRemoved(InterfaceIndex)
        /// RTM_NEWROUTE: a route through this interface came or changed.
        case routeChanged(InterfaceIndex)
        /// RTM_DELROUTE. The kernel announces no deletion for the IPv4 routes that it drops when it lowers a
        /// link.
        case routeRemoved(InterfaceIndex)
        /// RTM_NEWNEIGH; for RTM_DELNEIGH a neighbour of state `none`.
        case neighbourChanged(InterfaceIndex, IPAddress, Neighbour)
        /// Associated, or roamed to another access point; the keys may not be installed yet.
        case wirelessConnected(InterfaceIndex)
        case wirelessDisconnected(InterfaceIndex, Disconnection)
        /// A frame that ends an authentication; if that was an association, its end is reported as well.
        case deauthenticated(InterfaceIndex)
        /// An authentication or an association with an access point, whatever its result, or a connection
        /// that failed.
        case joinAttempted(InterfaceIndex)
        /// nl80211 is there: its module was loaded, perhaps again.
        case wirelessAppeared
        /// A scan has begun, whichever program asked for it.
        case scanBegun(InterfaceIndex, Scan)
        /// A scan is over, whichever program asked for it, and its results can be read.
        case scanFinished(InterfaceIndex)
        /// Announcements were lost (ENOBUFS), or the socket died and was opened again: what is known may be
        /// wrong, so ask again.
        case overran
        /// The socket died and could not be opened again: no further notifications.
        case monitorFailed(Failure)
    }

    /// What to receive: a topic that is not needed causes no wake-ups.
    public struct Topics: OptionSet, Sendable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let links = Topics(rawValue: 1 << 0)
        public static let addresses = Topics(rawValue: 1 << 1)
        public static let routes = Topics(rawValue: 1 << 2)
        public static let neighbours = Topics(rawValue: 1 << 3)
        /// nl80211's groups "mlme" and "scan"; also if its module is loaded only later.
        public static let wireless = Topics(rawValue: 1 << 4)
        /// nl80211's group "scan" alone.
        public static let scans = Topics(rawValue: 1 << 5)
        public static let all: Topics = [.links, .addresses, .routes, .neighbours, .wireless]
    }

    private let topics: Topics
    private let receiveBuffer: Int32
    private let handler: @MainActor (Notification) -> Void
    private(set) var listeners: [Listener] = []

    /// Receives in the network namespace of the calling thread. `handler` is called on the event loop.
    public convenience init(
        _ topics: Topics, handler: @escaping @MainActor (Notification) -> Void
    ) throws(Failure) {
        try self.init(topics, receiveBuffer: NetlinkSocket.receiveBuffer, handler: handler)
    }

    /// - Parameter receiveBuffer: SO_RCVBUF in bytes (socket(7)).
    init(
        _ topics: Topics, receiveBuffer: Int32, handler: @escaping @MainActor (Notification) -> Void
    ) throws(Failure) {
        self.topics = topics
        self.receiveBuffer = receiveBuffer
        self.handler = handler
        listeners = try open()
    }

    /// Checks the sockets, since one may die without an error. A socket that is dead, or has lost a group, is
    /// opened again as if it had overrun.
    public func check() {
        if !listeners.allSatisfy(\.canHear) { reopen() }
    }

    private func reopen() {
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
