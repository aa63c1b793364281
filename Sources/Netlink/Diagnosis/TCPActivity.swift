import CNetlink
import Glibc
import Model

/// A TCP connection whose peer was heard of late, and whence answers to it leave.
struct HeardConnection: Hashable, Sendable {
    var local: IPAddress
    var peer: IPAddress
    var boundTo: InterfaceIndex?
    var heard: Duration

    /// The kernel's ages are cut to its ticks: an age may be too small by so much.
    static let tick: Duration = .milliseconds(10)

    /// Those that may use an interface, established and heard within this span, the last one heard first.
    static func all(
        over index: InterfaceIndex, within duration: Duration, in sockets: [ConnectionMessage]
    ) -> [HeardConnection] {
        var seen: Set<[IPAddress]> = []
        return sockets.compactMap { socket in
            // An age alone is no proof: it begins with the socket.
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
    /// So many ways are looked up at most: a server has thousands of connections, and one that is alive is enough.
    private static let mostLookups = 64

    /// Of those whose packets leave by this interface the last one heard on the link, and the last one beyond it.
    mutating func liveness(
        of connections: [HeardConnection], over index: InterfaceIndex
    ) throws(Failure) -> [Liveness] {
        var signs: [Liveness] = []
        for connection in connections.prefix(Self.mostLookups) {
            // Who is this machine itself, or loopback, is not beyond the interface.
            let way = try wayOut(from: connection.local, to: connection.peer, over: connection.boundTo)
            guard let way, way.index == index else { continue }
            let manner: Liveness.Manner = way.gateway == nil ? .connection : .connectionBeyond
            guard !signs.contains(where: { $0.manner == manner }) else { continue }
            signs.append(Liveness(peer: connection.peer, manner: manner, heard: connection.heard))
        }
        return signs
    }

    /// The neighbour on this interface that answered last within this span and is no gateway; nil: none.
    mutating func neighbourAlive(
        on index: InterfaceIndex, within duration: Duration
    ) throws(Failure) -> Liveness? {
        let gateways = Set(try gatewayAddresses(of: index))
        // What else than `reachable` has an age may have got it from the kernel alone.
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
    /// Who was heard over an interface within this span, one of each manner at most: by NETLINK_SOCK_DIAG
    /// (sock_diag(7)), whose socket is opened for the question, and by the table of neighbours. What the kernel cannot
    /// tell is nobody: a sick link must not be kept sick by that.
    public func liveness(
        over index: InterfaceIndex, heardWithin duration: Duration,
        _ done: @escaping @MainActor ([Liveness]) -> Void
    ) {
        let told: Completion<[Liveness]> = { result in
            if case .success(let signs) = result { done(signs) } else { done([]) }
        }
        ask({ (kernel) throws(Failure) in kernel.liveness(over: index, within: duration) }, told)
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
