import Glibc
import Invocation
import Platform
import Reporting
import Service

/// The control socket of the command `run`: accepts clients, and passes bytes between them and their
/// sessions.
final class ControlServer {
    private struct Client {
        let connection: StreamConnection
        var session: ControlSession
        /// Whether the client has sent further calls that are not answered yet.
        var hasMore = false
    }

    /// The group whose members may send queries, but no orders, if the group exists.
    static let group = "wifi-toggler"
    /// The most clients, and the most clients of one user. A further client replaces another one, or is
    /// refused.
    private static let (mostClients, mostOfUser) = (16, 8)
    /// The name of the lock file. It is too long to be the name of an interface.
    private static let lockName = "control-socket-owner"

    private let service: ControlService
    private let printer: ReportPrinter
    private var lock: InterfaceLock?
    private var socket: ServiceSocket?
    /// The clients by number. A later client has a higher number.
    private var clients: [Int: Client] = [:]
    private var nextClient = 1
    private let histories = HistoryStreamer()
    /// Whether calls are answered. A service that is ending has released its interfaces, and has nothing to
    /// report.
    var answers = true
    /// Called with the request of a client, and the client's number.
    var onRequest: ((ControlRequest, Int) -> Void)?

    init(_ service: ControlService, _ printer: ReportPrinter) {
        self.service = service
        self.printer = printer
        histories.isWaiting = { [unowned self] in clients[$0]?.connection.isSent == false }
        histories.tell = { [unowned self] in clients[$1]?.connection.send($0) }
        histories.end = { [unowned self] in
            clients[$1]?.session.endReading()
            clients[$1]?.connection.send($0)
        }
        histories.sendAway = { [unowned self] in drop($0) }
    }

    /// Creates the socket. Only one service can have the socket of a run directory. Another service with that
    /// directory logs a warning, and runs without a socket.
    func open(_ request: Request) {
        let directory = request.runDirectory
        let path = "\(directory)/\(ControlInterface.socket)"
        switch LockTaker(request).tryToTake(Self.lockName, wait: .zero) {
        case .success(let lock): self.lock = lock
        case .failure(let problem):
            let why =
                problem.status == .heldByOther
                ? "\(path): another service uses it (give another directory with --run-dir)"
                : problem.description
            return printer.note(.warning, "no control socket: \(why)")
        }
        let group = GroupFile.number(of: Self.group)
        do throws(SystemError) {
            let socket = try ServiceSocket(ControlInterface.socket, in: directory, group: group) {
                [unowned self] in welcome($0)
            }
            socket.onExhaustion = { [printer] in
                printer.note(
                    .warning,
                    "\(path): no file descriptor is left, so new clients must wait: \($0.description) (raise LimitNOFILE=)"
                )
            }
            self.socket = socket
            if group != nil, !socket.isOpenToGroup {
                printer.note(
                    .warning,
                    "\(path): members of the group \(Self.group) cannot use it, because this service may not"
                        + " change the group of the socket (run the service with Group=\(Self.group))")
            }
        } catch {
            lock = nil
            printer.note(
                .warning,
                "no control socket: \(path): \(error.description) (give another directory with --run-dir)"
            )
        }
    }

    /// Removes the socket. Call it before the process ends.
    func end() {
        socket?.end()
        socket = nil
        for id in clients.keys { drop(id) }
    }

    /// Sends an event to all clients that monitor events. The closure is called only if there are any.
    func tell(_ event: () -> JSONText?) {
        let listeners = clients.filter(\.value.session.isMonitoring)
        guard !listeners.isEmpty, let event = event() else { return }
        let bytes = ControlSession.bytes(of: event)
        for listener in listeners.values { listener.connection.send(bytes) }
    }

    // MARK: Requests

    /// Reports a step to a client that waits for its request.
    /// - Parameter progress: what is awaited now; nil if that has not changed.
    func tell(_ lines: [Line], _ progress: Progress? = nil, to id: Int) {
        guard let client = clients[id] else { return }
        client.connection.send(client.session.bytes(ofStep: lines, progress))
    }

    /// Reports to a client that its request has ended.
    func end(_ lines: [Line], _ status: ExitStatus, _ event: JSONText?, to id: Int) {
        guard let bytes = clients[id]?.session.end(lines, status: status.rawValue, event: event) else {
            return
        }
        clients[id]?.connection.send(bytes)
    }

    // MARK: Clients

    private func welcome(_ connection: StreamConnection) {
        // Hooks, command probes and the helper run as the service's user, and must not give orders.
        let isRoot = connection.user == 0 || connection.isOfNetworkAdministrator
        guard makeRoom(for: connection, isRoot: isRoot) else { return connection.close() }
        let id = nextClient
        nextClient += 1
        clients[id] = Client(connection: connection, session: ControlSession(mayAct: isRoot))
        connection.onBytes = { [unowned self] in take($0, from: id) }
        connection.onEnd = { [unowned self] in forget(id) }
        connection.onSent = { [unowned self] in
            histories.goOn()
            goOn(id)
        }
    }

    /// Makes room for a new client. If there are too many clients, disconnects the oldest reader (a client
    /// that may not act) that waits for nothing. If all readers wait, a new client of root replaces the
    /// oldest reader, and any other new client is refused. If there are no readers, a new client of root
    /// replaces the oldest client of root that waits for nothing. A user with too many connections can only
    /// replace one of their own.
    /// - Returns: false if there is no room.
    private func makeRoom(for connection: StreamConnection, isRoot: Bool) -> Bool {
        let inOrder = clients.sorted { $0.key < $1.key }
        let readers = inOrder.filter { !$0.value.session.mayAct }
        let own = readers.filter { $0.value.connection.user == connection.user }
        let hasMany = !isRoot && own.count >= Self.mostOfUser
        guard hasMany || clients.count >= Self.mostClients else { return true }
        let candidates = isRoot && readers.isEmpty ? inOrder : hasMany ? own : readers
        let silent = candidates.first { !$0.value.session.isListening }
        guard let leaving = silent ?? (isRoot ? readers.first : nil) else { return false }
        drop(leaving.key)
        return true
    }

    private func take(_ bytes: [UInt8], from id: Int) {
        guard answers, var session = clients[id]?.session, let connection = clients[id]?.connection else {
            return
        }
        let answer = session.take(bytes, service)
        // Store the session before the requests begin: a request may end at once, which changes the session.
        clients[id]?.session = session
        clients[id]?.hasMore = answer.hasMore
        connection.send(answer.bytes)
        if answer.isOver { drop(id) }
        if let reading = answer.reading, clients[id] != nil { histories.begin(reading, for: id) }
        for request in answer.requests { onRequest?(request, id) }
        guard answer.hasMore, clients[id] != nil else { return }
        // Handle other clients first, and let this one read what was sent.
        connection.pause()
        if connection.isSent { EventLoop.nextTurn { [weak self] in self?.goOn(id) } }
    }

    /// Answers the next calls of a client that has sent several.
    private func goOn(_ id: Int) {
        guard let client = clients[id], client.hasMore, client.connection.isSent else { return }
        client.connection.resume()
        take([], from: id)
    }

    private func drop(_ id: Int) {
        clients[id]?.connection.close()
        forget(id)
    }

    private func forget(_ id: Int) {
        clients[id] = nil
        histories.forget(id)
    }
}
