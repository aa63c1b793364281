import Model
import Reporting

/// The text of a trace, as a stranger may send one for a replay.
enum Traces {
    private static let newline = UInt8(ascii: "\n")

    @MainActor static func take(_ bytes: [UInt8]) {
        var replay = Replay()
        var lines = bytes.split(separator: newline, omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        var formatter = LogFormatter(verbosity: .verbose)
        do throws(TraceMistake) {
            for line in lines { check(try replay.take(line), &formatter) }
            check(try replay.end(), &formatter)
        } catch {
            demandPrintable(error.description)
        }
        demand(replay.events <= lines.count, "\(replay.events) events in \(lines.count) lines")
    }

    @MainActor private static func check(_ findings: [Replay.Finding], _ formatter: inout LogFormatter) {
        for finding in findings {
            switch finding {
            case .differs(let difference): demand(!difference.lines.isEmpty, "a difference without any")
            case .told(let stamp, let report):
                _ = formatter.lines(for: Record(report, about: stamp.interface, at: stamp.at))
            }
        }
    }
}
