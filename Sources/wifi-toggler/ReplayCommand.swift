import Glibc
import Invocation
import Platform
import Service
import Toggling

/// `replay`: has today's core decide a recorded trace anew, and tells where it decides otherwise. Nothing but the
/// file is opened.
struct ReplayCommand {
    private let path: String
    private let request: Request
    private let console: Console

    init(_ path: String, _ request: Request, _ console: Console) {
        self.path = path
        self.request = request
        self.console = console
    }

    func start() -> Never { exit(replay().rawValue) }

    private func replay() -> ExitStatus {
        var story = request.output.verbosity == .verbose ? Story() : nil
        var replay = Replay()
        var differing = 0
        var line = 0
        func tell(_ findings: [Replay.Finding]) {
            for finding in findings {
                switch finding {
                case .told(let stamp, let report):
                    for line in story?.lines(report, stamp) ?? [] { console.result(line) }
                case .differs(let difference):
                    differing += 1
                    show(difference)
                }
            }
        }
        do throws(TraceMistake) {
            for octets in lines() {
                line += 1
                tell(try replay.take(octets))
            }
            tell(try replay.end())
        } catch {
            console.fail("\(path):\(max(line, 1)): \(error.words)", .badData)
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
        return differing == 0 ? "\(what), decided as then" : "\(what), \(differing) decided otherwise"
    }

    /// Without their ends. What stands behind the last end is a line of its own.
    private func lines() -> [ArraySlice<UInt8>] {
        let octets: [UInt8]
        do throws(SystemError) {
            guard let read = try TextFile.octets(path, largest: Trace.largest) else {
                throw SystemError(call: "open", code: ENOENT)
            }
            octets = read
        } catch {
            console.fail("\(path): \(error.words)", .noInput)
        }
        var lines = octets.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }
}

/// What today's core tells of each toggler, in sentences.
private struct Story {
    private var narrators: [Int: Narrator] = [:]

    mutating func lines(_ report: Report, _ stamp: Trace.Stamp) -> [String] {
        var narrator = narrators[stamp.id] ?? Narrator(verbosity: .normal)
        let lines = narrator.lines(for: report, interface: stamp.interface, at: stamp.at)
        narrators[stamp.id] = narrator
        return lines.map { "\(Trace.seconds(stamp.at)) \($0.text)" }
    }
}
