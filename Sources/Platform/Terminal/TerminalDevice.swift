import Glibc

/// A terminal that can move its cursor and erase lines (ECMA-48).
struct TerminalDevice: Sendable {
    /// The size that is assumed if the terminal does not report one.
    private static let usualSize = (columns: 80, rows: 24)

    private let descriptor: Int32

    /// Returns nil if the descriptor is no terminal, or one that can neither move its cursor nor erase lines
    /// (TERM is dumb or missing, term(7)).
    init?(_ descriptor: Int32, environment: [String: String]) {
        guard isatty(descriptor) == 1, let kind = environment["TERM"], !kind.isEmpty, kind != "dumb" else {
            return nil
        }
        self.descriptor = descriptor
    }

    /// The size of the terminal (TIOCGWINSZ, ioctl_tty(2)).
    var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return Self.usualSize }
        return (
            size.ws_col > 0 ? Int(size.ws_col) : Self.usualSize.columns,
            size.ws_row > 0 ? Int(size.ws_row) : Self.usualSize.rows
        )
    }

    func put(_ text: String) { Output.writeWhole(Array(text.utf8), descriptor: descriptor) }
}
