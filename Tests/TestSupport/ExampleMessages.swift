import Foundation

/// contrib/docs/messages.txt, the examples of the messages for people. Two tests write the file, each its own
/// part.
public enum ExampleMessages {
    public enum Part {
        /// The first part: messages that the libraries make from values.
        case made
        /// The second part: what the program prints about a real link, and as a service.
        case run
    }

    private static let file = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "contrib/docs/messages.txt")
    private static let border =
        "\n== Commands on a link, and a service; of each command: first its standard output, then its standard"
        + " error ==\n"

    private static func stored(_ part: Part) throws -> String {
        let text = try String(contentsOf: file, encoding: .utf8)
        let middle = text.range(of: border)
        return switch part {
        case .made: String(text[..<(middle?.lowerBound ?? text.endIndex)])
        case .run: String(text[(middle?.upperBound ?? text.endIndex)...])
        }
    }

    /// The lines in which the file and this text differ: `-` marks a line of the file, and `+` a line of the
    /// text. If the environment has UPDATE_GOLDEN=1, the text is stored first.
    public static func differences(_ part: Part, _ text: String) throws -> [String] {
        try update(part, text)
        let (stored, made) = (lines(try Self.stored(part)), lines(text))
        return made.difference(from: stored).map { change in
            switch change {
            case .remove(_, let line, _): "-\(line)"
            case .insert(_, let line, _): "+\(line)"
            }
        }
    }

    private static func lines(_ text: String) -> [Substring] {
        text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    private static func update(_ part: Part, _ text: String) throws {
        guard ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" else { return }
        let parts =
            switch part {
            case .made: (text, try stored(.run))
            case .run: (try stored(.made), text)
            }
        try (parts.0 + border + parts.1).write(to: file, atomically: true, encoding: .utf8)
    }
}
