import CNetlink
import Glibc
import Model

/// A connection that somebody who may be logged in made to this machine, and whence its answers leave.
struct IncomingConnection: Equatable, Sendable {
    var login: Login
    var local: IPAddress
    var boundTo: InterfaceIndex?

    /// The connections that peers have made to servers of root, as those are that let people in: established, their
    /// local port one that is listened on.
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
    /// All TCP sockets that are established or listen, of both families; to be asked of a conversation whose generic
    /// socket is one of NETLINK_SOCK_DIAG.
    mutating func connections() throws(Failure) -> [ConnectionMessage] {
        var sockets: [ConnectionMessage] = []
        for family in [AF_INET, AF_INET6] {
            sockets += try ask(ConnectionMessage.request(family: family), of: generic)
                .compactMap { ConnectionMessage.parse($0.payload) }
        }
        return sockets
    }

    /// The same routes, asked beside a socket of NETLINK_SOCK_DIAG, which is opened for it.
    func diagnosis() throws(Failure) -> Conversation {
        Conversation(
            route: route, generic: Transport(try NetlinkSocket(NETLINK_INET_DIAG, .brief)),
            sequence: sequence,
            deadline: deadline)
    }

    /// The logins from these peers that use an interface: its answers leave there, or would if there were a way.
    /// - Parameter diagnosis: a conversation whose generic socket is one of NETLINK_SOCK_DIAG.
    mutating func logins(
        from peers: Set<IPAddress>, over index: InterfaceIndex, _ diagnosis: inout Conversation
    ) throws(Failure) -> [Login] {
        let connections = IncomingConnection.all(from: peers, in: try diagnosis.connections())
        guard !connections.isEmpty else { return [] }
        let own = Set(try addresses(of: index).map(\.address))
        var logins: [Login] = []
        for connection in connections where try uses(index, connection, own) {
            logins.append(connection.login)
        }
        return logins
    }

    /// What it is bound to decides, then the way to the peer; where there is none, whose the local address is.
    private mutating func uses(
        _ index: InterfaceIndex, _ connection: IncomingConnection, _ own: Set<IPAddress>
    ) throws(Failure) -> Bool {
        if let bound = connection.boundTo { return bound == index }
        if let way = try interface(from: connection.local, to: connection.login.peer) { return way == index }
        return own.contains(connection.local)
    }
}

extension NetlinkCommands {
    /// Who of these peers is logged in over an interface (NETLINK_SOCK_DIAG, sock_diag(7)). The socket is opened for
    /// the question.
    public func logins(
        from peers: Set<IPAddress>, over index: InterfaceIndex, _ done: @escaping Completion<[Login]>
    ) {
        ask(
            { (kernel) throws(Failure) in
                var diagnosis = try kernel.diagnosis()
                return try kernel.logins(from: peers, over: index, &diagnosis)
            }, done)
    }
}
