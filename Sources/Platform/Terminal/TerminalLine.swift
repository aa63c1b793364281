import Glibc

/// The line of the terminal at the cursor, which can be rewritten in place (ECMA-48, EL). Uses no colours.
public struct TerminalLine: Sendable {
    private let output: TerminalDevice

    /// Returns nil if standard error is no terminal, or one that cannot erase a line.
    public init?(environment: [String: String]) {
        guard let output = TerminalDevice(STDERR_FILENO, environment: environment) else { return nil }
        self.output = output
    }

    /// Replaces the line by a text, which is cut at the end of the row.
    public func write(_ text: String) {
        // Some terminals move to the next row after the last column, so leave it empty.
        output.put(
            "\r" + String(Output.escaped(text).unicodeScalars.prefix(output.size.columns - 1)) + "\u{1b}[K")
    }

    public func erase() { output.put("\r\u{1b}[K") }
}
