import Foundation

/// How a program ended, and its output.
struct RunOutcome: CustomStringConvertible {
    /// The exit status; if a signal ended the program, 128 plus the signal's number, as in shells.
    var status: Int32
    var standardOutput: String
    var standardError: String

    /// All output, for checks of text that may be on either stream.
    var words: String { standardOutput + standardError }

    /// The JSON objects on standard output, one a line.
    var objects: [[String: Any]] { Self.objects(in: standardOutput) }

    var description: String {
        "status \(status)\n-- standard output\n\(standardOutput)-- standard error\n\(standardError)--"
    }

    /// Lines that are no JSON object count as empty objects, so that a check of them fails.
    static func objects(in text: String) -> [[String: Any]] {
        text.split(separator: "\n").map { line in
            (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any] ?? [:]
        }
    }
}
