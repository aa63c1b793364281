import Glibc
import Invocation
import Model
import Platform
import Reporting
import Toggling

/// The command `replay`: runs the present core on a recorded trace, and reports where its decisions differ.
/// Opens no other file.
struct ReplayCommand {
    private let path: String
    private let request: Request
    private let console: Console

    init(_ path: String, _ request: Request, _ console: Console) {
        self.path = path
        self.request = request
        self.console = console
    }

    func start() -> Never { console.end(replay()) }

    private func replay() -> ExitStatus {
        var log = request.output.verbosity == .verbose ? ReplayLog() : nil
        var replay = Replay()
        var differing = 0
        var line = 0
        func tell(_ findings: [Replay.Finding]) {
            for finding in findings {
                switch finding {
                case .told(let stamp, let report):
                    for line in log?.lines(report, stamp) ?? [] { console.result(line) }
                case .differs(let difference):
                    differing += 1
                    show(difference)
                }
            }
        }
        do throws(TraceMistake) {
            for bytes in lines() {
                line += 1
                tell(try replay.take(bytes))
            }
            tell(try replay.end())
        } catch {
            console.fail("\(path):\(max(line, 1)): \(error.description)", .badData)
        }
        if request.output.verbosity != .quiet { console.result(Self.summary(replay.events, differing)) }
        return differing == 0 ? .healthy : .sick
    }

    private func show(_ difference: Replay.Difference) {
        guard request.output.verbosity != .quiet else { return }
        console.result("\(path):\(difference.line): \(difference.headline)")
        for line in difference.lines { console.result("  \(line)") }
    }

    private static func summary(_ events: Int, _ differing: Int) -> String {
        let what = events == 1 ? "1 event" : "\(events) events"
        return differing == 0
            ? "\(what): all decisions as recorded"
            : "\(what): \(differing) with other decisions than recorded"
    }

    /// The lines of the file without line feeds. Text after the last line feed is a line, too.
    private func lines() -> [ArraySlice<UInt8>] {
        let bytes: [UInt8]
        do throws(SystemError) {
            guard let read = try SmallFile.bytes(path, largest: Trace.largest) else {
                throw SystemError(call: "open", code: ENOENT)
            }
            bytes = read
        } catch {
            console.fail("\(path): \(SmallFile.description(of: error))", .noInput)
        }
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }
}

/// The log that the present core writes for each toggler.
private struct ReplayLog {
    private var formatters: [Int: LogFormatter] = [:]

    mutating func lines(_ report: Report, _ stamp: Trace.Stamp) -> [String] {
        var formatter = formatters[stamp.id] ?? LogFormatter(verbosity: .normal)
        let lines = formatter.lines(for: Record(report, about: stamp.interface, at: stamp.at))
        formatters[stamp.id] = formatter
        return lines.map { "\(Trace.seconds(stamp.at)) \($0.text)" }
    }
}
