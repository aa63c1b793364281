import Invocation
import Model
import Platform
import Reporting
import Service
import Toggling

/// Shows on a terminal what a command waits for: one line, rewritten in its place, and gone before anything
/// else is said.
final class ProgressDisplay {
    private static let beat: Duration = .seconds(1)
    /// What is over sooner is not shown.
    private static let delay: Duration = .milliseconds(500)

    private let terminal: TerminalLine
    private var line: ProgressLine?
    private var isShown = false
    private var timer: TimerSource?

    /// nil: there is no terminal, or nobody wants lines for people.
    init?(_ request: Request, _ environment: [String: String]) {
        guard !request.output.isJSON, request.output.verbosity != .quiet,
            let terminal = TerminalLine(environment: environment)
        else { return nil }
        self.terminal = terminal
    }

    private var now: Instant { Instant(nanoseconds: BootClock.now()) }

    /// - Parameter progress: nil: nothing is waited for.
    func take(_ progress: Progress?, of interface: String) {
        guard let progress else { return end() }
        if line == nil {
            line = ProgressLine(interface: interface, progress, at: now)
            begin()
        } else {
            line?.take(progress, at: now)
            if isShown { draw() }
        }
    }

    /// At once: the process is about to do nothing else.
    func show(_ progress: Progress, of interface: String) {
        line = ProgressLine(interface: interface, progress, at: now)
        draw()
    }

    /// Nothing is waited for any more.
    func end() {
        line = nil
        timer?.cancel()
        timer = nil
        erase()
    }

    /// Makes room for what `say` writes.
    func giveWay(to say: () -> Void) {
        let wasShown = isShown
        erase()
        say()
        if wasShown { draw() }
    }

    private func begin() {
        timer = TimerSource { [unowned self] in
            draw()
            timer?.schedule(atBootNanoseconds: (now + Self.beat).nanoseconds)
        }
        timer?.schedule(atBootNanoseconds: (now + Self.delay).nanoseconds)
    }

    private func draw() {
        guard let line else { return }
        terminal.write(line.text(at: now))
        isShown = true
    }

    private func erase() {
        if isShown { terminal.erase() }
        isShown = false
    }
}
