import Glibc

/// The line of a terminal on which the cursor stands, rewritten in its place (ECMA-48, EL), without colours.
public struct TerminalLine: Sendable {
    private let output: TerminalDevice

    /// nil: standard error is no terminal, or one that cannot erase a line.
    public init?(environment: [String: String]) {
        guard let output = TerminalDevice(STDERR_FILENO, environment: environment) else { return nil }
        self.output = output
    }

    /// Writes a text of one line in place of what stands there; cut where the row ends.
    public func write(_ text: String) {
        // In the last column some terminals go on to the next row.
        output.put(
            "\r" + String(Output.escaped(text).unicodeScalars.prefix(output.size.columns - 1)) + "\u{1b}[K")
    }

    public func erase() { output.put("\r\u{1b}[K") }
}
