import CNetlink
import Dispatch
import Model

/// Sends requests to rtnetlink(7) and nl80211 in the calling thread; each call returns with the answer. This
/// is for a process that has no event loop and nothing else to do. The sockets belong to the session, and are
/// in the network namespace of the thread that created it.
public struct NetlinkSession {
    private let socket: NetlinkSocket
    private let route: Transport
    private let generic: Transport
    private let wirelessFamily = FamilyNumber()
    /// The time limit for all requests of one call. A driver that is shutting down may keep the kernel's lock
    /// for seconds.
    private static let timeout: Duration = .seconds(10)
    private var sequence: UInt32 = 0
    /// Whether the socket options of ``NetlinkSocket/tellMore()`` are set. They are set before the first
    /// order. A guard that only reads the state of the link does not need them.
    private var isToldMore = false

    /// Opens the route socket. Fails with the errno of socket(2).
    public init() throws(Failure) {
        socket = try NetlinkSocket(NETLINK_ROUTE, .brief, tellsMore: false)
        route = Transport(socket)
        // The generic socket is seldom needed, so the first request opens it.
        generic = Transport(ReopenedSocket(later: NETLINK_GENERIC))
    }

    /// The interface with this index (RTM_GETLINK). Fails with `.noSuchDevice` if there is none.
    public mutating func link(_ index: InterfaceIndex) throws(Failure) -> Link {
        try converse { (kernel) throws(Failure) in try kernel.link(index) }
    }

    /// Sets or clears IFF_UP and changes no other flag (RTM_SETLINK).
    public mutating func setAdministrativeState(up: Bool, of index: InterfaceIndex) throws(Failure) {
        tellMore()
        try converse { (kernel) throws(Failure) in try kernel.setAdministrativeState(up: up, of: index) }
    }

    /// Compares the interface with a snapshot and restores what is missing, as `NetlinkCommands.restore`
    /// does.
    public mutating func restore(
        _ snapshot: Snapshot, on index: InterfaceIndex, puttingBack: Bool
    ) throws(Failure) -> Restoration {
        tellMore()
        return try converse { (kernel) throws(Failure) in
            try kernel.restore(snapshot, on: index, puttingBack: puttingBack)
        }
    }

    /// The items of a snapshot that cannot be read, or that belong neither to this interface, nor to its
    /// topmost master, nor to a link stacked on it.
    public mutating func strangers(
        in snapshot: Snapshot, on index: InterfaceIndex
    ) throws(Failure) -> [Snapshot.Item] {
        if snapshot.items.isEmpty { return [] }
        return try converse { (kernel) throws(Failure) in try kernel.strangers(in: snapshot, on: index) }
    }

    private mutating func tellMore() {
        if !isToldMore { socket.tellMore() }
        isToldMore = true
    }

    private mutating func converse<Value>(
        _ question: (inout Conversation) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let deadline = DispatchTime.now() + .nanoseconds(Int(Self.timeout.nanoseconds))
        var kernel = Conversation(
            route: route, generic: generic, wirelessFamily: wirelessFamily, sequence: sequence,
            deadline: deadline)
        defer { sequence = kernel.sequence }
        return try question(&kernel)
    }
}
