import CNetlink
import Glibc
import Model

/// A connection to this machine that may be a remote login, with the properties that decide through which
/// interface its packets leave.
struct IncomingConnection: Equatable, Sendable {
    var login: Login
    var local: IPAddress
    var boundTo: InterfaceIndex?

    /// The established connections from these peers to ports on which a process of root still listens, such
    /// as sshd. A process of root must also have created the socket of the connection.
    static func all(from peers: Set<IPAddress>, in sockets: [ConnectionMessage]) -> [IncomingConnection] {
        let open = Set(sockets.filter { !$0.isEstablished && $0.user == 0 }.map(\.localPort))
        return sockets.compactMap { socket in
            guard socket.isEstablished, socket.user == 0, open.contains(socket.localPort),
                peers.contains(socket.peer), let heard = socket.heard
            else { return nil }
            let login = Login(peer: socket.peer, heard: heard, isUnanswered: socket.isUnanswered)
            return IncomingConnection(login: login, local: socket.local, boundTo: socket.boundTo)
        }
    }
}

extension Conversation {
    /// All TCP sockets of both families that are established or listening. Call it on a conversation whose
    /// generic transport is a NETLINK_SOCK_DIAG socket.
    mutating func connections() throws(Failure) -> [ConnectionMessage] {
        var sockets: [ConnectionMessage] = []
        for family in [AF_INET, AF_INET6] {
            sockets += try ask(ConnectionMessage.request(family: family), of: generic)
                .compactMap { ConnectionMessage.parse($0.payload) }
        }
        return sockets
    }

    /// A conversation with the same route socket and a new NETLINK_SOCK_DIAG socket.
    func diagnosis() throws(Failure) -> Conversation {
        Conversation(
            route: route, generic: Transport(try NetlinkSocket(NETLINK_INET_DIAG, .brief)),
            sequence: sequence,
            deadline: deadline)
    }

    /// The remote logins from these peers whose packets leave through an interface, or would leave through it
    /// if there were a route.
    /// - Parameters:
    ///   - vrf: the VRF that the interface belongs to; nil for none.
    ///   - diagnosis: a conversation whose generic transport is a NETLINK_SOCK_DIAG socket.
    mutating func logins(
        from peers: Set<IPAddress>, over index: InterfaceIndex, vrf: InterfaceIndex? = nil,
        _ diagnosis: inout Conversation
    ) throws(Failure) -> [Login] {
        let connections = IncomingConnection.all(from: peers, in: try diagnosis.connections())
        guard !connections.isEmpty else { return [] }
        let own = Set(try addresses(of: index).map(\.address))
        var logins: [Login] = []
        for connection in connections where try uses(index, vrf, connection, own) {
            logins.append(connection.login)
        }
        return logins
    }

    /// Whether a connection uses this interface. If its socket is bound to an interface, that one decides. If
    /// it is bound to none, or to this interface's VRF, the route to the peer decides; without a route, the
    /// interface that has the local address.
    private mutating func uses(
        _ index: InterfaceIndex, _ vrf: InterfaceIndex?, _ connection: IncomingConnection,
        _ own: Set<IPAddress>
    ) throws(Failure) -> Bool {
        let bound = connection.boundTo
        if let bound, bound != vrf { return bound == index }
        let way = try interface(from: connection.local, to: connection.login.peer, over: bound)
        return way.map { $0 == index } ?? own.contains(connection.local)
    }
}

extension NetlinkCommands {
    /// The remote logins from these peers over an interface, or over the master that carries its traffic
    /// (NETLINK_SOCK_DIAG, sock_diag(7)). Opens a socket for this request.
    public func logins(
        from peers: Set<IPAddress>, over index: InterfaceIndex, _ done: @escaping Completion<[Login]>
    ) {
        ask(
            { (kernel) throws(Failure) in
                var diagnosis = try kernel.diagnosis()
                let upper = try kernel.upper(of: index)
                return try kernel.logins(from: peers, over: upper, vrf: try kernel.vrf(of: upper), &diagnosis)
            }, done)
    }
}
