import Invocation
import Model
import Platform
import Reporting

/// Shows on a terminal what a command waits for: one line, rewritten in place, and removed before anything
/// else is printed.
final class ProgressDisplay {
    private static let beat: Duration = .seconds(1)
    /// Shorter waits are not shown.
    private static let delay: Duration = .milliseconds(500)

    private let terminal: TerminalLine
    private var line: ProgressLine?
    private var isShown = false
    private var timer: TimerSource?

    /// nil: there is no terminal, or output for people is not wanted.
    init?(_ request: Request, _ environment: [String: String]) {
        guard !request.output.isJSON, request.output.verbosity != .quiet,
            let terminal = TerminalLine(environment: environment)
        else { return nil }
        self.terminal = terminal
    }

    private var now: Instant { Instant(nanoseconds: BootClock.now()) }

    /// - Parameter progress: nil: nothing is awaited.
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

    /// Shows it at once: the process is about to block.
    func show(_ progress: Progress, of interface: String) {
        line = ProgressLine(interface: interface, progress, at: now)
        draw()
    }

    /// Nothing is awaited any more.
    func end() {
        line = nil
        timer?.cancel()
        timer = nil
        erase()
    }

    /// Clears the line for what `say` prints.
    func giveWay(to say: () -> Void) {
        let wasShown = isShown
        erase()
        say()
        if wasShown { draw() }
    }

    private func begin() {
        timer = TimerSource { [unowned self] in
            draw()
            timer?.schedule(after: Self.beat)
        }
        timer?.schedule(after: Self.delay)
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
