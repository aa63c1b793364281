import Glibc

/// The line of a terminal on which the cursor stands, rewritten in its place (ECMA-48, EL), without colours.
public struct TerminalLine: Sendable {
    /// In columns, where the terminal does not tell its size.
    private static let usualWidth = 80

    private let output: Int32

    /// nil: standard error is no terminal, or one that cannot erase a line (TERM=dumb).
    public init?(environment: [String: String]) {
        output = STDERR_FILENO
        guard isatty(output) == 1, let kind = environment["TERM"], !kind.isEmpty, kind != "dumb" else {
            return nil
        }
    }

    /// Writes a text of one line in place of what stands there; cut where the row ends.
    public func write(_ text: String) {
        // In the last column some terminals go on to the next row.
        put("\r" + String(Output.escaped(text).unicodeScalars.prefix(width - 1)) + "\u{1b}[K")
    }

    public func erase() { put("\r\u{1b}[K") }

    /// TIOCGWINSZ (ioctl_tty(2)).
    private var width: Int {
        var size = winsize()
        guard ioctl(output, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return Self.usualWidth }
        return Int(size.ws_col)
    }

    private func put(_ text: String) { Output.writeWhole(Array(text.utf8), descriptor: output) }
}
