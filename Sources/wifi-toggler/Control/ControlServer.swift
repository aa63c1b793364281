import Glibc
import Invocation
import Platform
import Reporting
import Service

/// The control socket of `run`: takes clients in, carries what they say to their conversations and back.
final class ControlServer {
    private struct Client {
        let connection: StreamConnection
        var session: ControlSession
    }

    /// Members of this group may read, where there is one.
    static let group = "wifi-toggler"
    /// One more is let in only at the expense of another.
    private static let mostClients = 16
    /// The file of the lock is named as no interface can be: it is too long.
    private static let lockName = "control-socket-owner"

    private let service: ControlService
    private let printer: ReportPrinter
    private var lock: InterfaceLock?
    private var socket: ServiceSocket?
    /// In the order in which they came.
    private var clients: [Int: Client] = [:]
    private var nextClient = 1
    private let histories = HistoryStreamer()
    /// Is given what a client waits for, and the client's number.
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

    /// Makes the socket. One service of a run directory has it; where that cannot be this one, it says so and
    /// goes on without.
    func open(_ request: Request) {
        let directory = request.runDirectory
        let path = "\(directory)/\(ControlInterface.socket)"
        switch LockTaker(request).tryToTake(Self.lockName, wait: .zero) {
        case .success(let lock): self.lock = lock
        case .failure(let problem):
            let why =
                problem.status == .heldByOther
                ? "\(path): another service has it (give another directory with --run-dir)" : problem.sentence
            return printer.note(.warning, "no control socket: \(why)")
        }
        let group = GroupFile.number(of: Self.group)
        do throws(SystemError) {
            let socket = try ServiceSocket(ControlInterface.socket, in: directory, group: group) {
                [unowned self] in welcome($0)
            }
            self.socket = socket
            if group != nil, !socket.isOpenToGroup {
                printer.note(
                    .warning, "\(path): for root alone: not permitted to give it to the group \(Self.group)")
            }
        } catch {
            lock = nil
            printer.note(
                .warning, "no control socket: \(path): \(error.words) (give another directory with --run-dir)"
            )
        }
    }

    /// Removes the socket, before the process ends.
    func end() {
        socket?.end()
        socket = nil
        for id in clients.keys { drop(id) }
    }

    /// Tells all that monitor; what it is, is made only for them.
    func tell(_ event: () -> JSONText?) {
        let listeners = clients.filter(\.value.session.isMonitoring)
        guard !listeners.isEmpty, let event = event() else { return }
        let bytes = ControlSession.bytes(of: event)
        for listener in listeners.values { listener.connection.send(bytes) }
    }

    // MARK: Requests

    /// Tells a client that waits of a step.
    /// - Parameter progress: nil: what is waited for is the same as before.
    func tell(_ lines: [Line], _ progress: Progress? = nil, to id: Int) {
        guard let client = clients[id] else { return }
        client.connection.send(client.session.bytes(ofStep: lines, progress))
    }

    /// Tells a client that what it waits for is over.
    func end(_ lines: [Line], _ status: ExitStatus, _ event: JSONText?, to id: Int) {
        guard let bytes = clients[id]?.session.end(lines, status: status.rawValue, event: event) else {
            return
        }
        clients[id]?.connection.send(bytes)
    }

    // MARK: Clients

    private func welcome(_ connection: StreamConnection) {
        // Who may end this process may steer it.
        let isRoot = connection.user == 0 || connection.user == geteuid()
        guard makeRoom(isRoot: isRoot) else { return connection.close() }
        let id = nextClient
        nextClient += 1
        clients[id] = Client(connection: connection, session: ControlSession(mayAct: isRoot))
        connection.onBytes = { [unowned self] in take($0, from: id) }
        connection.onEnd = { [unowned self] in forget(id) }
        connection.onSent = { [unowned self] in histories.goOn() }
    }

    /// Who came first and asks nothing goes first; root is not kept out by those who monitor.
    private func makeRoom(isRoot: Bool) -> Bool {
        guard clients.count >= Self.mostClients else { return true }
        let inOrder = clients.sorted { $0.key < $1.key }
        let silent = inOrder.first { !$0.value.session.isListening }
        guard let leaving = silent ?? inOrder.first(where: { isRoot && !$0.value.session.mayAct }) else {
            return false
        }
        drop(leaving.key)
        return true
    }

    private func take(_ bytes: [UInt8], from id: Int) {
        guard var session = clients[id]?.session, let connection = clients[id]?.connection else { return }
        let answer = session.take(bytes, service)
        // What was asked for may have ended with a word to this very client.
        clients[id]?.session = session
        connection.send(answer.bytes)
        if answer.isOver { drop(id) }
        if let reading = answer.reading, clients[id] != nil { histories.begin(reading, for: id) }
        if let request = answer.request { onRequest?(request, id) }
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
