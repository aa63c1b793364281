import Glibc
import Invocation
import Platform
import Service

/// `status`: asks the running service how its links are, and what it did about them.
struct StatusCommand {
    private let request: Request
    private let console: Console

    /// A service that lives answers at once: nothing of it waits. In nanoseconds.
    private static let patience: Int64 = 5_000_000_000

    init(_ request: Request, _ console: Console) {
        self.request = request
        self.console = console
    }

    private enum Answer {
        case told(ExitStatus)
        /// The interfaces that are.
        case notWatched([String])
    }

    /// Nothing of the service's answer is alive when the process ends: LeakSanitizer does not see that the tagged
    /// pointers of its parts lead to them.
    func start() -> Never {
        switch tell() {
        case .told(let status): exit(status.rawValue)
        case .notWatched(let others): failUnwatched(others)
        }
    }

    private func tell() -> Answer {
        let all = interfaces()
        let chosen = all.filter(isMeant)
        if chosen.isEmpty, !request.interfaces.isEmpty {
            return .notWatched(all.map { StatusText($0).interface })
        }
        if request.output.isJSON {
            for json in chosen { console.result(json) }
        } else if request.output.verbosity != .quiet {
            show(chosen)
        }
        return .told(Self.status(of: chosen.map { StatusText($0).health }))
    }

    private func show(_ interfaces: [JSONText]) {
        for json in interfaces {
            for line in StatusText(json).lines { console.result(line) }
        }
        if interfaces.isEmpty { console.result("the service watches no interface") }
    }

    /// One that is sick counts more than one of which nothing is known.
    private static func status(of healths: [StatusText.Health]) -> ExitStatus {
        if healths.contains(.sick) { return .sick }
        return healths.isEmpty || healths.contains(.unknown) ? .unknown : .healthy
    }

    private func isMeant(_ json: JSONText) -> Bool {
        let name = StatusText(json).interface
        return request.interfaces.isEmpty || request.interfaces.contains { $0.matches(name) }
    }

    private func failUnwatched(_ all: [String]) -> Never {
        let names = all.joined(separator: ", ")
        let named = request.interfaces.map(\.text).joined(separator: ", ")
        let others = names.isEmpty ? "no interface" : names
        console.fail("\(named): not watched: the service watches \(others)", .unavailable)
    }

    // MARK: The service

    private var path: String { "\(request.runDirectory)/\(ControlInterface.socket)" }

    private func interfaces() -> [JSONText] {
        let deadline = BootClock.now() + Self.patience
        let stream = connect(before: deadline)
        var buffer = MessageBuffer(longest: Varlink.longestReply)
        do throws(SystemError) {
            try stream.send(StatusCall.octets, before: deadline)
            while true {
                let octets = try stream.receive(before: deadline)
                guard !octets.isEmpty else { throw SystemError(call: "read", code: ECONNRESET) }
                guard let messages = buffer.take(octets) else { failNonsense() }
                if let reply = messages.first { return interfaces(in: reply) }
            }
        } catch {
            console.fail(
                "the service at \(path) does not answer: \(error.words)"
                    + " (see 'systemctl status wifi-toggler')", .unavailable)
        }
    }

    private func interfaces(in reply: ArraySlice<UInt8>) -> [JSONText] {
        do throws(StatusCall.Problem) {
            return try StatusCall.interfaces(in: reply)
        } catch {
            switch error {
            case .nonsense: failNonsense()
            case .refused(let name):
                console.fail("the service at \(path) refuses: \(name)", .systemRefused)
            }
        }
    }

    private func failNonsense() -> Never {
        console.fail(
            "what answers at \(path) is no service of this version (restart it after an update)",
            .systemRefused)
    }

    private func connect(before deadline: Int64) -> BlockingStream {
        do throws(ControlSocket.Problem) {
            return try BlockingStream.connect(
                to: ControlInterface.socket, in: request.runDirectory, before: deadline)
        } catch {
            switch error {
            case .none:
                console.fail(
                    "no service answers at \(path): start it with 'systemctl start wifi-toggler'"
                        + " (or give its directory with --run-dir)", .unavailable)
            case .untrusted(let why): console.fail("\(path) is not trusted: \(why)", .systemRefused)
            case .refused(let error) where error.code == EACCES || error.code == EPERM:
                console.fail(
                    "no permission to ask the service at \(path): run as root, or be a member of the group"
                        + " \(ControlServer.group)", .noPermission)
            case .refused(let error):
                console.fail("could not ask the service at \(path): \(error.words)", .unavailable)
            }
        }
    }
}
