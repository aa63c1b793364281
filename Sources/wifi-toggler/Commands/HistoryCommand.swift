import Glibc
import Invocation
import Model
import Platform
import Reporting

/// The command `history`: shows the files in the state directory as a table, as JSON, or as a page for a
/// browser.
struct HistoryCommand {
    private let request: Request
    private let console: Console

    init(_ request: Request, _ console: Console) {
        self.request = request
        self.console = console
    }

    /// Shows the history and ends the process. `tell` releases everything before that: LeakSanitizer cannot
    /// follow the tagged pointers to the parts of the history, and would report leaks.
    func start() -> Never {
        tell()
        console.end(.healthy)
    }

    private func tell() {
        let names = chosenNames()
        var all: [Timeline] = []
        for name in names { all.append(timeline(of: name)) }
        if let page = request.page {
            write(HistoryPage(all, heading, WallClock.localRFC3339).text, to: page)
        }
        if request.output.isJSON {
            for timeline in all {
                for json in HistoryJSON.objects(timeline, wallTime: time) { console.result(json) }
            }
        } else if request.page == nil, request.output.verbosity != .quiet {
            show(all)
        }
    }

    private func show(_ all: [Timeline]) {
        let isVerbose = request.output.verbosity == .verbose
        for timeline in all {
            let text = HistoryText(timeline, isVerbose: isVerbose, wallTime: time)
            for line in text.lines { console.result(line) }
        }
        if all.isEmpty { console.note(.notice, "\(request.stateDirectory): no history is kept here yet") }
    }

    private func time(_ instant: Int64) -> String { WallClock.rfc3339(milliseconds: instant) }

    private var heading: HistoryPage.Heading {
        (version: Help.version, now: WallClock.milliseconds(), since: since)
    }

    /// The time from which to show the history, in milliseconds since 1970-01-01T00:00:00Z; nil for all of
    /// it.
    private var since: Int64? { request.since?.milliseconds(now: WallClock.milliseconds()) }

    // MARK: Files

    private func chosenNames() -> [String] {
        failIfUnreadable(request.stateDirectory)
        let names = HistoryWriter.names(in: request.stateDirectory)
        let chosen = names.filter { request.isAbout($0) }
        if chosen.isEmpty, !request.interfaces.isEmpty { failForWantOf(names) }
        return chosen
    }

    private func failIfUnreadable(_ directory: String) {
        if access(directory, R_OK | X_OK) != 0, errno != ENOENT {
            fail(directory, SystemError(call: "access", code: errno))
        }
    }

    /// Ends the process because there is no history of the named interfaces, but there may be one of others.
    private func failForWantOf(_ names: [String]) -> Never {
        let wanted = request.interfaces.map(\.text).joined(separator: ", ")
        let others = names.isEmpty ? " yet" : ", only of " + names.joined(separator: ", ")
        console.fail("\(wanted): no history is kept in \(request.stateDirectory)\(others)", .unavailable)
    }

    private func timeline(of name: String) -> Timeline {
        let file = HistoryWriter.file(of: name, in: TrustedDirectory(request.stateDirectory))
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try file.read() } catch { fail(file.path, error) }
        var entries: [HistoryEntry] = []
        var (damaged, strange) = (0, 0)
        for reading in HistoryLine.readings(of: bytes) {
            switch reading {
            case .entry(let entry): entries.append(entry)
            case .damaged: damaged += 1
            case .strange: strange += 1
            }
        }
        if damaged > 0 {
            console.note(
                .warning,
                "\(file.path): damaged lines left out: \(damaged) (a power cut may have damaged them)")
        }
        if strange > 0 {
            console.note(.warning, "\(file.path): lines of another version left out: \(strange)")
        }
        let timeline = Timeline(of: name, entries)
        return since.map(timeline.since) ?? timeline
    }

    private func fail(_ path: String, _ error: SystemError) -> Never {
        if error.code == EACCES { console.fail("\(path): \(error.description) (run as root)", .noPermission) }
        let remedy =
            error.code == EPERM ? " (it belongs to another user: change its owner, or move it away)" : ""
        console.fail("\(path): \(error.description)\(remedy)", .noInput)
    }

    private func write(_ text: String, to path: String) {
        if path == "-" { return console.text(text) }
        do throws(SystemError) { try SmallFile.write(Array(text.utf8), to: path) } catch {
            console.fail("\(path): \(error.description) (give another file with --html)", .cannotWrite)
        }
    }
}
