import CNetlink
import Glibc
import Model

/// A TCP connection over which something was received recently, with what decides which interface its packets
/// leave by.
struct HeardConnection: Hashable, Sendable {
    var local: IPAddress
    var peer: IPAddress
    var boundTo: InterfaceIndex?
    var heard: Duration

    /// The kernel rounds ages down to its ticks: an age may be too small by this much.
    static let tick: Duration = .milliseconds(10)

    /// The connections that may use an interface, established and with traffic within this duration, the most
    /// recent first.
    static func all(
        over index: InterfaceIndex, within duration: Duration, in sockets: [ConnectionMessage]
    ) -> [HeardConnection] {
        var seen: Set<[IPAddress]> = []
        return sockets.compactMap { socket in
            // An age alone is no evidence: it starts with the socket.
            guard socket.isEstablished, let heard = socket.heard, heard + tick <= duration,
                let segments = socket.segments, segments > 0, [nil, index].contains(socket.boundTo)
            else { return nil }
            return HeardConnection(
                local: socket.local, peer: socket.peer, boundTo: socket.boundTo, heard: heard)
        }
        .sorted { $0.heard < $1.heard }
        .filter { seen.insert([$0.local, $0.peer]).inserted }
    }
}

extension Conversation {
    /// At most this many routes are requested: a server has thousands of connections, and one that is alive
    /// is enough.
    private static let mostLookups = 64

    /// Of the connections that use this interface, the most recent one with a peer on the link, and with one
    /// beyond it.
    mutating func liveness(
        of connections: [HeardConnection], over index: InterfaceIndex
    ) throws(Failure) -> [Liveness] {
        var signs: [Liveness] = []
        for connection in connections.prefix(Self.mostLookups) {
            // A peer that is this machine itself, or loopback, is not reached over the interface.
            let way = try wayOut(from: connection.local, to: connection.peer, over: connection.boundTo)
            guard let way, way.index == index else { continue }
            let manner: Liveness.Manner = way.gateway == nil ? .connection : .connectionBeyond
            guard !signs.contains(where: { $0.manner == manner }) else { continue }
            signs.append(Liveness(peer: connection.peer, manner: manner, heard: connection.heard))
        }
        return signs
    }

    /// The neighbour on this interface that answered last within this duration and is no gateway; nil: none.
    mutating func neighbourAlive(
        on index: InterfaceIndex, within duration: Duration
    ) throws(Failure) -> Liveness? {
        let gateways = Set(try gatewayAddresses(of: index))
        // In states other than `reachable` the kernel may have set the time of confirmation by itself.
        let heard = try neighbours(on: index).compactMap { entry -> Liveness? in
            guard entry.neighbour.state == .reachable, !gateways.contains(entry.address),
                let age = entry.neighbour.confirmed, age + HeardConnection.tick <= duration
            else { return nil }
            return Liveness(peer: entry.address, manner: .neighbour, heard: age)
        }
        return heard.min { $0.heard < $1.heard }
    }
}

extension NetlinkCommands {
    /// Liveness evidence on an interface, or on the master whose traffic passes through it, within this duration, at most one of each kind: from
    /// NETLINK_SOCK_DIAG (sock_diag(7)), whose socket is opened for this request, and from the neighbour
    /// table. What the kernel cannot report counts as no evidence: that must not keep a sick link from being
    /// bounced.
    public func liveness(
        over index: InterfaceIndex, heardWithin duration: Duration,
        _ done: @escaping @MainActor ([Liveness]) -> Void
    ) {
        let told: Completion<[Liveness]> = { result in
            if case .success(let signs) = result { done(signs) } else { done([]) }
        }
        ask(
            { (kernel) throws(Failure) in
                kernel.liveness(over: try kernel.upper(of: index), within: duration)
            }, told)
    }
}

extension Conversation {
    fileprivate mutating func liveness(over index: InterfaceIndex, within duration: Duration) -> [Liveness] {
        var signs: [Liveness] = []
        if var diagnosis = try? diagnosis(), let sockets = try? diagnosis.connections() {
            let heard = HeardConnection.all(over: index, within: duration, in: sockets)
            signs += (try? liveness(of: heard, over: index)) ?? []
        }
        if let neighbour = try? neighbourAlive(on: index, within: duration) { signs.append(neighbour) }
        return signs
    }
}
