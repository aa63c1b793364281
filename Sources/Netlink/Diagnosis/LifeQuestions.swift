import CNetlink
import Glibc
import Toggling

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
        over index: InterfaceIndex, within span: Duration, in sockets: [ConnectionMessage]
    ) -> [HeardConnection] {
        var seen: Set<[IPAddress]> = []
        return sockets.compactMap { socket in
            // An age alone is no proof: it begins with the socket.
            guard socket.isEstablished, let heard = socket.heard, heard + tick <= span,
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
    mutating func life(
        of connections: [HeardConnection], over index: InterfaceIndex
    ) throws(Failure) -> [SignOfLife] {
        var signs: [SignOfLife] = []
        for connection in connections.prefix(Self.mostLookups) {
            // Who is this machine itself, or loopback, is not beyond the interface.
            let way = try wayOut(from: connection.local, to: connection.peer, over: connection.boundTo)
            guard let way, way.index == index else { continue }
            let manner: SignOfLife.Manner = way.gateway == nil ? .connection : .connectionBeyond
            guard !signs.contains(where: { $0.manner == manner }) else { continue }
            signs.append(SignOfLife(peer: connection.peer, manner: manner, heard: connection.heard))
        }
        return signs
    }

    /// The neighbour on this interface that answered last within this span and is no gateway; nil: none.
    mutating func neighbourAlive(
        on index: InterfaceIndex, within span: Duration
    ) throws(Failure) -> SignOfLife? {
        let gateways = Set(try gatewayAddresses(of: index))
        // What else than `reachable` has an age may have got it from the kernel alone.
        let heard = try neighbours(on: index).compactMap { entry -> SignOfLife? in
            guard entry.neighbour.state == .reachable, !gateways.contains(entry.address),
                let age = entry.neighbour.confirmed, age + HeardConnection.tick <= span
            else { return nil }
            return SignOfLife(peer: entry.address, manner: .neighbour, heard: age)
        }
        return heard.min { $0.heard < $1.heard }
    }
}

extension NetlinkCommands {
    /// Who was heard over an interface within this span, one of each manner at most: by NETLINK_SOCK_DIAG
    /// (sock_diag(7)), whose socket is opened for the question, and by the table of neighbours. What the kernel cannot
    /// tell is nobody: a sick link must not be kept sick by that.
    public func life(
        over index: InterfaceIndex, heardWithin span: Duration,
        _ done: @escaping @MainActor ([SignOfLife]) -> Void
    ) {
        let told: Completion<[SignOfLife]> = { result in
            if case .success(let signs) = result { done(signs) } else { done([]) }
        }
        ask({ (kernel) throws(Failure) in kernel.life(over: index, within: span) }, told)
    }
}

extension Conversation {
    fileprivate mutating func life(over index: InterfaceIndex, within span: Duration) -> [SignOfLife] {
        var signs: [SignOfLife] = []
        if var diagnosis = try? diagnosis(), let sockets = try? diagnosis.connections() {
            let heard = HeardConnection.all(over: index, within: span, in: sockets)
            signs += (try? life(of: heard, over: index)) ?? []
        }
        if let neighbour = try? neighbourAlive(on: index, within: span) { signs.append(neighbour) }
        return signs
    }
}
