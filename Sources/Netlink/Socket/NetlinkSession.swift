import CNetlink
import Dispatch
import Model

/// Requests to rtnetlink(7) and nl80211 in the calling thread, each answered before the call returns: for a
/// process that has nothing else to do and no event loop. It has sockets of its own, in the network namespace
/// of the thread that made it.
public struct NetlinkSession {
    private let socket: NetlinkSocket
    private let route: Transport
    private let generic: Transport
    private let wirelessFamily = FamilyNumber()
    /// For one request; a driver that stops may keep the kernel's lock for seconds.
    private let timeout: Duration
    private var sequence: UInt32 = 0
    /// A guard that is not needed makes one request only.
    private var isToldMore = false

    /// - Parameter timeout: how long the kernel may take for an answer.
    public init(timeout: Duration = .seconds(10)) throws(Failure) {
        socket = try NetlinkSocket(NETLINK_ROUTE, .brief, tellsMore: false)
        route = Transport(socket)
        // Seldom needed: opened with the first request.
        generic = Transport(ReopenedSocket(later: NETLINK_GENERIC))
        self.timeout = timeout
    }

    /// RTM_GETLINK. `.noSuchDevice`: the interface is not there (any more).
    public mutating func link(_ index: InterfaceIndex) throws(Failure) -> Link {
        try converse { (kernel) throws(Failure) in try kernel.link(index) }
    }

    /// RTM_SETLINK: sets or clears IFF_UP and touches no other flag.
    public mutating func setAdministrativeState(up: Bool, of index: InterfaceIndex) throws(Failure) {
        tellMore()
        try converse { (kernel) throws(Failure) in try kernel.setAdministrativeState(up: up, of: index) }
    }

    /// As `NetlinkCommands.restore`.
    public mutating func restore(
        _ snapshot: Snapshot, on index: InterfaceIndex, puttingBack: Bool
    ) throws(Failure) -> Restoration {
        tellMore()
        return try converse { (kernel) throws(Failure) in
            try kernel.restore(snapshot, on: index, puttingBack: puttingBack)
        }
    }

    /// The items that concern neither this interface nor one stacked on it, or cannot be read.
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
        let deadline = DispatchTime.now() + .nanoseconds(Int(timeout.nanoseconds))
        var kernel = Conversation(
            route: route, generic: generic, wirelessFamily: wirelessFamily, sequence: sequence,
            deadline: deadline)
        defer { sequence = kernel.sequence }
        return try question(&kernel)
    }
}
