import Glibc
import Invocation
import Platform
import Reporting

/// Runs a one-shot command on an interface that a running service watches. The service acts, and this process
/// reports the result as its own.
final class DelegatedRun {
    private enum Stage {
        /// Waiting for the answer whether the service watches the interface.
        case asking
        /// Waiting for the service to accept the request.
        case ordering
        case waiting
    }

    /// How long the service may take to say whether it watches the interface. A working service answers at
    /// once. A service that hangs is awaited longer only while another process has the interface's lock.
    private static let timeout: Duration = .seconds(1)
    /// How long the service may take to accept the request.
    private static let orderTimeout: Duration = .seconds(10)
    /// How long the service may be silent after the time that it announced. Probes and drivers may take long
    /// without a report.
    private static let silence: Duration = .seconds(300)

    private let kind: ControlRequest.Kind
    private let interface: String
    private let request: Request
    private let console: Console
    private let printer: ReportPrinter
    private let client: ControlClient
    /// The time at which the wait of --wait ends, in nanoseconds of CLOCK_BOOTTIME.
    private let deadline: Int64
    /// Whether another process has the interface's lock. Then nobody can act without that process.
    private let isTaken: () -> Bool
    /// Acts without the service.
    private let withoutService: () -> Void
    private var stage = Stage.asking
    private var connection: StreamConnection?
    private var buffer = MessageBuffer(longest: Varlink.longestReply)
    private var timer: TimerSource?
    private var signals: SignalSources?

    init(
        _ kind: ControlRequest.Kind, _ interface: String, _ request: Request, _ console: Console,
        _ printer: ReportPrinter, before deadline: Int64, isTaken: @escaping () -> Bool,
        withoutService: @escaping () -> Void
    ) {
        self.kind = kind
        self.interface = interface
        self.request = request
        self.console = console
        self.printer = printer
        self.deadline = deadline
        self.isTaken = isTaken
        self.withoutService = withoutService
        client = ControlClient(request)
    }

    /// Ends the process when the service has acted. Calls `withoutService` if no service acts.
    func start() {
        // If there are many other clients, it takes a while until the service accepts the connection.
        let latest = max(deadline, BootClock.now() + Self.timeout.nanoseconds)
        guard client.isThere, let connection = try? client.connection(before: latest) else {
            return withoutService()
        }
        self.connection = connection
        connection.onBytes = { [unowned self] in
            // Release the parts of the answer before the process ends: LeakSanitizer cannot follow the tagged
            // pointers to them, and would report leaks.
            if let status = take($0) { console.end(withRawValue: status) }
        }
        connection.onEnd = { [unowned self] in lost(nil) }
        timer = TimerSource { [unowned self] in timeIsOver() }
        wait(Self.timeout)
        connection.send(ControlCall.question(about: interface))
    }

    private func wait(_ duration: Duration) {
        timer?.schedule(after: duration)
    }

    private func leaveService() {
        connection?.close()
        connection = nil
        timer?.cancel()
        timer = nil
        signals?.release()
        withoutService()
    }

    // MARK: Replies

    /// - Returns: the exit status when the run is over; otherwise nil.
    private func take(_ bytes: [UInt8]) -> Int32? {
        guard let messages = buffer.take(bytes) else { return fail(client.problem(.nonsense)) }
        for message in messages {
            switch stage {
            case .asking:
                guard (try? ControlCall.interfaces(in: message))?.isEmpty == false else {
                    leaveService()
                    return nil
                }
                order()
            case .ordering, .waiting:
                do throws(ControlCall.Problem) {
                    if let status = take(try ControlCall.reply(message)) { return status }
                } catch {
                    return refused(error)
                }
            }
            if connection == nil { return nil }
        }
        return nil
    }

    /// Sends the request, because the service watches the interface; but acts without the service if the
    /// command line has options that a service ignores.
    private func order() {
        let foreign = request.optionsServiceIgnores
        if !foreign.isEmpty {
            let options = foreign.joined(separator: ", ")
            printer.note(
                .notice,
                "\(interface): the service watches it, but does not accept \(options) from a command:"
                    + " trying without the service",
                about: interface)
            return leaveService()
        }
        stage = .ordering
        // From now on, the service may act. Its first reply says whether it does.
        signals = console.signals(SignalSources.ending, atOnce: false) { [unowned self] _ in
            interrupted()
        }
        wait(Self.orderTimeout)
        switch kind {
        case .toggle(let delay): connection?.send(ControlCall.toggle(interface, delay: delay))
        case .reconnect: connection?.send(ControlCall.reconnect(interface))
        }
    }

    private func take(_ reply: ControlCall.Reply) -> Int32? {
        if case .ordering = stage {
            stage = .waiting
            do throws(SystemError) { try signals?.start() } catch { console.failToWait(error) }
        }
        switch reply {
        case .steps(let lines, let progress):
            wait((progress?.most ?? .zero) + Self.silence)
            for line in lines { printer.repeat(line, about: interface) }
            if let progress { console.progress?.take(progress, of: interface) }
            return nil
        case .end(let lines, let status, let event):
            console.progress?.end()
            printer.repeat(lines, about: interface, result: event)
            return status
        }
    }

    /// Handles an error reply: the service did not accept the request, or did not complete it.
    private func refused(_ problem: ControlCall.Problem) -> Int32? {
        switch (stage, problem) {
        case (.asking, _), (.ordering, .refused):
            // Act without the service. If the user may not give orders to the service, the kernel will refuse
            // the same action of this process, too.
            leaveService()
            return nil
        case (.ordering, .nonsense), (.waiting, _): return fail(client.problem(problem))
        }
    }

    // MARK: Failures

    private func timeIsOver() {
        let rest = deadline - BootClock.now()
        if case .asking = stage, rest > 0, isTaken() { return wait(min(Self.timeout, .nanoseconds(rest))) }
        lost(SystemError(call: "read", code: ETIMEDOUT))
    }

    private func lost(_ error: SystemError?) {
        switch stage {
        case .asking: leaveService()
        case .ordering, .waiting:
            console.progress?.end()
            if let error { exit(fail(client.silence(error))) }
            console.atEnd.say(
                Line(
                    .error,
                    "\(interface): the service has ended in the middle of the bounce: if the link is down, the guard"
                        + " raises it (see 'systemctl status wifi-toggler')"),
                about: interface)
            exit(ExitStatus.unknown.rawValue)
        }
    }

    private func interrupted() {
        console.progress?.end()
        printer.note(
            .notice, "\(interface): a signal ended this command; the service continues the bounce",
            about: interface)
        exit(ExitStatus.unknown.rawValue)
    }

    private func fail(_ problem: CommandError) -> Int32 {
        console.progress?.end()
        console.atEnd.say(Line(.error, "\(interface): \(problem.description)"), about: interface)
        return problem.status.rawValue
    }
}
