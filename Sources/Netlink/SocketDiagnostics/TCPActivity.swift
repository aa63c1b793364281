import CNetlink
import Glibc
import Model

/// A TCP connection that has recently received something, with the properties that decide through which
/// interface its packets leave.
struct HeardConnection: Hashable, Sendable {
    var local: IPAddress
    var peer: IPAddress
    var boundTo: InterfaceIndex?
    var heard: Duration

    /// The kernel rounds ages down to its clock ticks, so a reported age may be too small by up to this much.
    static let tick: Duration = .milliseconds(10)

    /// The established connections that may use an interface and have received something within this
    /// duration, the most recent first; of those between the same two addresses only the most recent.
    /// - Parameter vrf: the VRF that the interface belongs to; nil for none.
    static func all(
        over index: InterfaceIndex, vrf: InterfaceIndex? = nil, within duration: Duration,
        in sockets: [ConnectionMessage]
    ) -> [HeardConnection] {
        var seen: Set<[IPAddress]> = []
        return sockets.compactMap { socket in
            // Without received segments the age proves nothing: it counts from the creation of the socket.
            guard socket.isEstablished, let heard = socket.heard, heard + tick <= duration,
                let segments = socket.segments, segments > 0, [nil, index, vrf].contains(socket.boundTo)
            else { return nil }
            return HeardConnection(
                local: socket.local, peer: socket.peer, boundTo: socket.boundTo, heard: heard)
        }
        .sorted { $0.heard < $1.heard }
        .filter { seen.insert([$0.local, $0.peer]).inserted }
    }
}

extension Conversation {
    /// The most connections whose routes are looked up. A server may have thousands of connections, and one
    /// live connection is enough.
    private static let mostLookups = 64

    /// The most recent connection of this interface with a peer on the link, and the most recent one with a
    /// peer beyond a gateway.
    mutating func liveness(
        of connections: [HeardConnection], over index: InterfaceIndex
    ) throws(Failure) -> [Liveness] {
        var signs: [Liveness] = []
        for connection in connections.prefix(Self.mostLookups) {
            // The way out is nil for a peer on this machine: such a connection does not use the interface.
            let way = try wayOut(from: connection.local, to: connection.peer, over: connection.boundTo)
            guard let way, way.index == index else { continue }
            let manner: Liveness.Manner = way.gateway == nil ? .connection : .connectionBeyond
            guard !signs.contains(where: { $0.manner == manner }) else { continue }
            signs.append(Liveness(peer: connection.peer, manner: manner, heard: connection.heard))
        }
        return signs
    }

    /// The neighbour on this interface that confirmed most recently, within this duration, that it is
    /// reachable. Gateways do not count. Returns nil if there is none.
    mutating func neighbourAlive(
        on index: InterfaceIndex, within duration: Duration
    ) throws(Failure) -> Liveness? {
        let gateways = Set(try gatewayAddresses(of: index))
        // In every state but `reachable`, the kernel may have set the time of confirmation without an answer.
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
    /// Signs that an interface, or the master that carries its traffic, has received something within this
    /// duration; at most one of each kind. They come from NETLINK_SOCK_DIAG (sock_diag(7)), for which a
    /// socket is opened, and from the neighbour table. A failed request counts as no sign, so that it cannot
    /// prevent the bounce of a sick link.
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
            let vrf = try? self.vrf(of: index)
            let heard = HeardConnection.all(over: index, vrf: vrf, within: duration, in: sockets)
            signs += (try? liveness(of: heard, over: index)) ?? []
        }
        if let neighbour = try? neighbourAlive(on: index, within: duration) { signs.append(neighbour) }
        return signs
    }
}
