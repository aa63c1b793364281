import Glibc
import Invocation
import Platform
import Reporting

/// The command `status`: asks the running service for the state of its links and for its last actions.
struct StatusCommand {
    private let request: Request
    private let console: Console
    private let client: ControlClient

    /// The time limit for the answer, in nanoseconds. A working service answers at once, because it never
    /// blocks.
    private static let timeout: Int64 = 5_000_000_000

    init(_ request: Request, _ console: Console) {
        self.request = request
        self.console = console
        client = ControlClient(request)
    }

    private enum Answer {
        case told(ExitStatus)
        /// The service watches none of the named interfaces; it watches these.
        case notWatched([String])
    }

    /// Shows the status and ends the process. `tell` releases the answer before that: LeakSanitizer cannot
    /// follow the tagged pointers to its parts, and would report leaks.
    func start() -> Never {
        switch tell() {
        case .told(let status): console.end(status)
        case .notWatched(let others): failUnwatched(others)
        }
    }

    private func tell() -> Answer {
        let all = interfaces()
        let chosen = all.filter { request.isAbout(StatusText($0).interface) }
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

    /// The exit status for all links together. A sick link counts more than one whose health is unknown.
    private static func status(of healths: [StatusText.Health]) -> ExitStatus {
        if healths.contains(.sick) { return .sick }
        return healths.isEmpty || healths.contains(.unknown) ? .unknown : .healthy
    }

    private func failUnwatched(_ all: [String]) -> Never {
        let names = all.joined(separator: ", ")
        let named = request.interfaces.map(\.text).joined(separator: ", ")
        let others = names.isEmpty ? "no interface" : names
        console.fail("\(named): not watched: the service watches \(others)", .unavailable)
    }

    private func interfaces() -> [JSONText] {
        let deadline = BootClock.now() + Self.timeout
        do throws(CommandError) {
            return try interfaces(client.connect(before: deadline), before: deadline)
        } catch {
            console.fail(error.description, error.status)
        }
    }

    private func interfaces(
        _ stream: BlockingStream, before deadline: Int64
    ) throws(CommandError) -> [JSONText] {
        switch reply(stream, before: deadline) {
        case .failure(let error): throw client.silence(error)
        case .success(nil): throw client.problem(.nonsense)
        case .success(let reply?):
            do throws(ControlCall.Problem) {
                return try ControlCall.interfaces(in: reply)
            } catch {
                throw client.problem(error)
            }
        }
    }

    /// The reply of the service; nil if it is longer than allowed.
    private func reply(
        _ stream: BlockingStream, before deadline: Int64
    ) -> Result<ArraySlice<UInt8>?, SystemError> {
        var buffer = MessageBuffer(longest: Varlink.longestReply)
        do throws(SystemError) {
            try stream.send(ControlCall.status, before: deadline)
            while true {
                let bytes = try stream.receive(before: deadline)
                guard !bytes.isEmpty else { throw SystemError(call: "read", code: ECONNRESET) }
                guard let messages = buffer.take(bytes) else { return .success(nil) }
                if let reply = messages.first { return .success(reply) }
            }
        } catch {
            return .failure(error)
        }
    }
}

extension Request {
    /// Whether an interface was named on the command line. If none was named, every interface matches.
    func isAbout(_ name: String) -> Bool {
        interfaces.isEmpty || interfaces.contains { $0.matches(name) }
    }
}
