import Glibc
import Platform
import Service

/// The program's voice: results on standard output, everything else on standard error.
struct Console {
    static let program = "wifi-toggler"
    private let isJournal: Bool

    init(environment: [String: String]) { isJournal = Output.isJournal(environment: environment) }

    func say(_ line: Line) {
        let level = Level(rawValue: UInt8(line.weight.rawValue)) ?? .notice
        // The journal names the program itself.
        let text = isJournal ? line.text : "\(Self.program): \(line.text)"
        Output.write(Output.line(text, level: level, isJournal: isJournal), to: .error)
    }

    func result(_ text: String) { Output.write(Output.escaped(text), to: .standard) }

    func result(_ json: JSONText) { Output.write(json.line, to: .standard) }

    /// Listens to signals, or ends the process with the reason.
    func signals(
        _ numbers: [Int32], atOnce: Bool = true, _ handler: @escaping @MainActor (Int32) -> Void
    ) -> SignalSources {
        do {
            return try SignalSources(numbers, atOnce: atOnce, handler)
        } catch {
            fail("could not listen to signals: \(error.words)", .systemRefused)
        }
    }

    /// Prints a text that ends its lines itself.
    func text(_ text: String) {
        Output.write(text.last == "\n" ? String(text.dropLast()) : text, to: .standard)
    }

    /// One line that says what is wrong, and the end of the process. Text of ours that has more lines is
    /// printed as it is behind the first.
    func fail(_ sentence: String, _ status: ExitStatus) -> Never {
        let lines = sentence.split(separator: "\n", omittingEmptySubsequences: false)
        say(Line(.error, String(lines[0])))
        for line in lines.dropFirst() { Output.write(Output.escaped(String(line)), to: .error) }
        exit(status.rawValue)
    }
}
