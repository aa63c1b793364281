import Invocation
import Model
import Platform
import Reporting

/// Shows on a terminal what a command is waiting for, in one line. The line is rewritten in place, and
/// removed before other output.
final class ProgressDisplay {
    private static let beat: Duration = .seconds(1)
    /// A wait that is shorter than this is not shown.
    private static let delay: Duration = .milliseconds(500)

    private let terminal: TerminalLine
    private var line: ProgressLine?
    private var isShown = false
    private var timer: TimerSource?

    /// Returns nil if there is no terminal, or if the output is JSON or quiet.
    init?(_ request: Request, _ environment: [String: String]) {
        guard !request.output.isJSON, request.output.verbosity != .quiet,
            let terminal = TerminalLine(environment: environment)
        else { return nil }
        self.terminal = terminal
    }

    /// Updates the line.
    /// - Parameter progress: what is awaited; nil for nothing.
    func take(_ progress: Progress?, of interface: String) {
        guard let progress else { return end() }
        if line == nil {
            line = ProgressLine(interface: interface, progress, at: .now)
            begin()
        } else {
            line?.take(progress, at: .now)
            if isShown { draw() }
        }
    }

    /// Shows the line at once. Use it before the process blocks.
    func show(_ progress: Progress, of interface: String) {
        line = ProgressLine(interface: interface, progress, at: .now)
        draw()
    }

    /// Removes the line, because nothing is awaited any more.
    func end() {
        line = nil
        timer?.cancel()
        timer = nil
        erase()
    }

    /// Removes the line while `say` prints.
    func giveWay<Result>(to say: () -> Result) -> Result {
        let wasShown = isShown
        erase()
        defer { if wasShown { draw() } }
        return say()
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
        terminal.write(line.text(at: .now))
        isShown = true
    }

    private func erase() {
        if isShown { terminal.erase() }
        isShown = false
    }
}
