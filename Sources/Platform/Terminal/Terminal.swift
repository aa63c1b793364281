import Glibc

/// A terminal for a live view. Its settings are restored afterwards (termios(3), ECMA-48).
@MainActor public final class Terminal {
    private let input: Int32
    private let output: TerminalDevice
    /// The settings at the start; nil if the terminal has not been changed.
    private var found: termios?
    private var keys: EventSource?

    /// Returns nil if standard input or output is no terminal, or if the terminal cannot move its cursor
    /// (TERM=dumb).
    public init?(environment: [String: String]) {
        guard isatty(STDIN_FILENO) == 1,
            let output = TerminalDevice(STDOUT_FILENO, environment: environment)
        else { return nil }
        input = STDIN_FILENO
        self.output = output
    }

    isolated deinit { leave() }

    public var size: (columns: Int, rows: Int) { output.size }

    /// Switches to single keys without echo, and to the alternate screen without a cursor. Call it again if
    /// another program may have changed this.
    public func enter() {
        var now = termios()
        guard tcgetattr(input, &now) == 0 else { return }
        if found == nil { found = now }
        now.c_lflag &= ~tcflag_t(ECHO | ICANON)
        tcsetattr(input, TCSADRAIN, &now)
        output.put("\u{1b}[?1049h\u{1b}[?25l")
    }

    /// Restores the settings and the screen.
    public func leave() {
        guard var found else { return }
        output.put("\u{1b}[?25h\u{1b}[?1049l")
        tcsetattr(input, TCSADRAIN, &found)
        self.found = nil
    }

    /// Draws these lines from the top, and clears the rest of the screen. The lines must fit.
    public func draw(_ lines: [String]) {
        guard found != nil else { return }
        output.put("\u{1b}[H" + lines.map { $0 + "\u{1b}[K" }.joined(separator: "\r\n") + "\u{1b}[J")
    }

    /// Calls the handler with each byte from the keyboard. The end of the input is not reported.
    public func onKey(_ handler: @escaping @MainActor (UInt8) -> Void) {
        keys = EventSource.reading(input, owning: false) { [weak self, input] in
            var byte: UInt8 = 0
            if read(input, &byte, 1) == 1 { handler(byte) } else { self?.keys?.cancel() }
        }
    }
}
