import Glibc

/// The terminal line with the cursor, rewritten in place (ECMA-48, EL), without colours.
public struct TerminalLine: Sendable {
    private let output: TerminalDevice

    /// nil: standard error is not a terminal, or cannot erase a line.
    public init?(environment: [String: String]) {
        guard let output = TerminalDevice(STDERR_FILENO, environment: environment) else { return nil }
        self.output = output
    }

    /// Replaces the line by a text, which is cut where the row ends.
    public func write(_ text: String) {
        // After the last column some terminals continue on the next row.
        output.put(
            "\r" + String(Output.escaped(text).unicodeScalars.prefix(output.size.columns - 1)) + "\u{1b}[K")
    }

    public func erase() { output.put("\r\u{1b}[K") }
}
