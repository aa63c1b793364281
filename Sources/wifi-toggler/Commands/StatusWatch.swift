import Glibc
import Invocation
import Model
import Platform
import Reporting

/// The command `status --watch`: stays connected to the service and shows changes of its links. With --json
/// it writes an object for each event; else it shows a screen on a terminal, or writes a line for each event.
final class StatusWatch {
    private enum View {
        case screen(Terminal, StatusScreen)
        case lines(EventLine)
        case objects
    }

    /// The time between two updates of the screen, and between two attempts to connect to the service.
    private static let beat: Duration = .seconds(1)
    /// The greatest age of an answer. Some states change without an event, such as quiet hours or the owner
    /// of the link.
    private static let oldest: Duration = .seconds(60)
    /// The time limit for an answer. A working service answers at once.
    private static let timeout: Duration = .seconds(5)

    private let request: Request
    private let console: Console
    private let client: ControlClient
    private var view: View
    private var signals: SignalSources?
    private var timer: TimerSource?
    /// Reports that standard output has no reader any more; nil for a screen, and for a file.
    private var reader: EventSource?
    /// The connection for events.
    private var monitor: StreamConnection?
    /// The connection for status queries.
    private var questions: StreamConnection?
    private var events = MessageBuffer(longest: Varlink.longestReply)
    private var answers = MessageBuffer(longest: Varlink.longestReply)
    /// When the unanswered query was sent; nil if there is none.
    private var askedAt: Instant?
    /// Whether an event has arrived since the query was sent. The answer may not include it.
    private var isAnswerOld = false
    private var answeredAt: Instant?

    init(_ request: Request, _ console: Console, _ environment: [String: String]) {
        self.request = request
        self.console = console
        client = ControlClient(request)
        if request.output.isJSON {
            view = .objects
        } else if let terminal = Terminal(environment: environment) {
            let screen = StatusScreen(
                hasColours: (environment["NO_COLOR"] ?? "").isEmpty, isPlain: !Self.isUTF8(environment),
                escaped: Output.escaped)
            view = .screen(terminal, screen)
        } else {
            view = .lines(EventLine(isVerbose: request.output.verbosity == .verbose))
        }
    }

    /// Whether the locale uses UTF-8. LC_ALL counts if it is set, else LC_CTYPE, else LANG (setlocale(3)).
    private static func isUTF8(_ environment: [String: String]) -> Bool {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty }
        return locale.map { $0.uppercased().filter { $0 != "-" }.hasSuffix("UTF8") } ?? false
    }

    func start() {
        if case .screen(let terminal, _) = view {
            terminal.enter()
            terminal.onKey { [unowned self] key in if key == UInt8(ascii: "q") { end() } }
            // When a signal ends or stops the process, the terminal must have its normal screen and its echo
            // again. After SIGCONT and SIGWINCH, the screen is drawn again.
            signals = console.signals(SignalSources.ending + [SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT]) {
                [unowned self] in
                take(signal: $0)
            }
            timer = TimerSource { [unowned self] in beat() }
            beat()
        } else {
            signals = console.signals(SignalSources.ending) { [unowned self] _ in end() }
            // Without a reader, as after `head -n 1`, nobody sees the events. Do not wait for a failed write:
            // the next event may come only in days. What epoll(7) refuses, such as a file, has no reader.
            reader = try? EventSource.polling(STDOUT_FILENO, for: .closing) { [unowned self] in end() }
            connect()
        }
    }

    private func end(_ problem: CommandError? = nil) -> Never {
        if case .screen(let terminal, _) = view { terminal.leave() }
        // Release the parts of the answers before the process ends: LeakSanitizer cannot follow the tagged
        // pointers to them, and would report leaks.
        view = .objects
        if let problem { console.fail(problem.description, problem.status) }
        console.end(.healthy)
    }

    private func take(signal: Int32) {
        guard case .screen(let terminal, _) = view else { return }
        switch signal {
        case SIGTSTP:
            terminal.leave()
            kill(getpid(), SIGSTOP)
        case SIGCONT:
            terminal.enter()
            draw()
        case SIGWINCH: draw()
        default: end()
        }
    }

    // MARK: The service

    private func beat() {
        let now = Instant.now
        timer?.schedule(at: now + Self.beat)
        if let askedAt, now - askedAt > Self.timeout {
            lose(client.silence(SystemError(call: "read", code: ETIMEDOUT)))
        }
        if monitor == nil { connect() }
        if case .screen(_, let screen) = view, screen.isStale(at: now) || isOld(at: now) { ask() }
        draw()
    }

    private func isOld(at now: Instant) -> Bool { answeredAt.map { now - $0 >= Self.oldest } ?? true }

    private func connect() {
        do throws(CommandError) {
            let monitor = try client.connection(before: soon)
            self.monitor = monitor
            events = MessageBuffer(longest: Varlink.longestReply)
            monitor.onBytes = { [unowned self] in take(events.take($0), take(event:)) }
            monitor.onEnd = { [unowned self] in lose(hangUp) }
            monitor.send(ControlCall.monitor)
            guard case .screen = view else { return }
            let questions = try client.connection(before: soon)
            self.questions = questions
            answers = MessageBuffer(longest: Varlink.longestReply)
            questions.onBytes = { [unowned self] in take(answers.take($0), take(answer:)) }
            questions.onEnd = { [unowned self] in lose(hangUp) }
            ask()
        } catch {
            lose(error)
        }
    }

    /// The deadline for a connection that begins now, in nanoseconds of CLOCK_BOOTTIME. A connection takes
    /// that long only if too many other clients wait; the screen is not updated meanwhile.
    private var soon: Int64 { BootClock.now() + Self.beat.nanoseconds }

    private var hangUp: CommandError {
        client.silence(SystemError(call: "read", code: ECONNRESET))
    }

    /// Handles the loss of the service. If the view is a screen, waits until the service is back.
    private func lose(_ problem: CommandError) {
        monitor?.close()
        questions?.close()
        (monitor, questions, askedAt, isAnswerOld) = (nil, nil, nil, false)
        guard case .screen(let terminal, var screen) = view else { end(problem) }
        screen.lose(problem.description)
        view = .screen(terminal, screen)
        draw()
    }

    private func ask() {
        guard let questions else { return }
        guard askedAt == nil else {
            isAnswerOld = true
            return
        }
        askedAt = Instant.now
        questions.send(ControlCall.status)
    }

    /// Handles messages; nil: one of them is too long.
    private func take(
        _ messages: [ArraySlice<UInt8>]?, _ handle: (ArraySlice<UInt8>) throws(ControlCall.Problem) -> Void
    ) {
        guard let messages else { return lose(client.problem(.nonsense)) }
        for message in messages {
            do throws(ControlCall.Problem) { try handle(message) } catch {
                return lose(client.problem(error))
            }
        }
    }

    private func take(answer: ArraySlice<UInt8>) throws(ControlCall.Problem) {
        show(
            try ControlCall.interfaces(in: answer).filter { request.isAbout(StatusText($0).interface) })
    }

    private func show(_ interfaces: [JSONText]) {
        let now = Instant.now
        (askedAt, answeredAt) = (nil, now)
        guard case .screen(let terminal, var screen) = view else { return }
        screen.take(interfaces, at: now)
        view = .screen(terminal, screen)
        draw()
        if isAnswerOld {
            isAnswerOld = false
            ask()
        }
    }

    private func take(event: ArraySlice<UInt8>) throws(ControlCall.Problem) {
        let event = try ControlCall.event(in: event)
        guard request.isAbout(StatusText(event).interface) else { return }
        switch view {
        case .screen: ask()
        case .objects: console.result(event)
        case .lines(var lines):
            if let text = lines.text(event) { console.result(text) }
            view = .lines(lines)
        }
    }

    private func draw() {
        guard case .screen(let terminal, let screen) = view else { return }
        terminal.draw(screen.lines(terminal.size, at: .now))
    }
}
