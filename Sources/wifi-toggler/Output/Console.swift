import Glibc
import Model
import Platform
import Reporting

import enum Invocation.LogTarget

/// The program's output: results on standard output, everything else on standard error or in the machine's
/// log.
struct Console {
    static let program = "wifi-toggler"
    /// Whether the journal reads standard error.
    private let isJournal: Bool
    private var log: LogTarget = .stderr
    /// Of messages about what a command does (`note`).
    var verbosity: Verbosity = .normal
    /// nil: no progress is shown.
    var progress: ProgressDisplay?

    init(environment: [String: String]) { isJournal = Output.isJournal(environment: environment) }

    /// The same, with messages that are not results going to this log.
    /// - Parameter stays: the process does not end soon after a message. If it did, the journal could no
    ///   longer find out which unit the message belongs to; for messages on standard error it knows.
    func directed(to log: LogTarget, _ verbosity: Verbosity, stays: Bool) -> Console {
        var console = self
        console.verbosity = verbosity
        switch log {
        case .auto where !stays: console.log = .stderr
        // A daemon whose standard error nobody reads; without syslog, too, its messages are lost.
        case .auto: console.log = isJournal ? .journal : Output.isLost() ? .syslog : .stderr
        case .stderr, .journal, .syslog: console.log = log
        }
        return console
    }

    /// For messages shortly before the process ends.
    var atEnd: Console {
        var console = self
        if isJournal { console.log = .stderr }
        return console
    }

    /// - Parameter fields: for the journal, beside the line itself.
    func say(_ line: Line, _ fields: [(name: String, value: String)] = []) {
        let text = Output.escaped(line.text)
        switch log {
        case .auto, .stderr: break
        case .journal:
            let own = [
                ("MESSAGE", text), ("PRIORITY", String(line.level.rawValue)),
                ("SYSLOG_IDENTIFIER", Self.program),
            ]
            if LogSocket.journal.send(LogMessage.journal(own + fields)) { return }
        case .syslog:
            if LogSocket.syslog.send(LogMessage.syslog(text, level: line.level, program: Self.program)) {
                return
            }
        }
        write(line.text, line.level)
    }

    /// - Parameters:
    ///   - interface: the subject; nil: none, or several.
    ///   - kind: of the message; nil: it has no MESSAGE_ID.
    func say(_ line: Line, about interface: String?, _ kind: Record.Kind? = nil) {
        say(line, JournalFields.fields(about: interface, kind))
    }

    /// The same, if the user wants messages of this level.
    func note(
        _ level: LogLevel, _ text: @autoclosure () -> String, about interface: String? = nil,
        _ kind: Record.Kind? = nil
    ) {
        if verbosity.wants(level) { say(Line(level, text()), about: interface, kind) }
    }

    private func write(_ text: String, _ level: LogLevel) {
        // The journal adds the program's name itself.
        let text = isJournal ? text : "\(Self.program): \(text)"
        write(Output.line(text, level: level, isJournal: isJournal), to: .error)
    }

    private func write(_ text: String, to stream: Output.Stream) {
        guard let progress else { return Output.write(text, to: stream) }
        progress.giveWay { Output.write(text, to: stream) }
    }

    func result(_ text: String) { write(Output.escaped(text), to: .standard) }

    /// Several lines at once.
    func results(_ lines: [String]) {
        if !lines.isEmpty { write(lines.map(Output.escaped).joined(separator: "\n"), to: .standard) }
    }

    func result(_ json: JSONText) { write(json.line, to: .standard) }

    /// Installs signal handlers, or ends the process with the reason.
    func signals(
        _ numbers: [Int32], atOnce: Bool = true, _ handler: @escaping @MainActor (Int32) -> Void
    ) -> SignalSources {
        do {
            return try SignalSources(numbers, atOnce: atOnce, handler)
        } catch {
            failToListen(error)
        }
    }

    func failToListen(_ error: SystemError) -> Never {
        fail("could not listen to signals: \(error.description)", .systemRefused)
    }

    func failToWait(_ error: SystemError) -> Never {
        fail("could not create the event loop: \(error.description)", .systemRefused)
    }

    /// Prints a text that already has line feeds.
    func text(_ text: String) {
        Output.write(text.last == "\n" ? String(text.dropLast()) : text, to: .standard)
    }

    /// Prints one line that says what is wrong, and ends the process. Further lines of the program's own text
    /// are printed as they are.
    func fail(_ sentence: String, _ status: ExitStatus) -> Never {
        progress?.end()
        let lines = sentence.split(separator: "\n", omittingEmptySubsequences: false)
        atEnd.say(Line(.error, String(lines[0])))
        for line in lines.dropFirst() {
            Output.write(Output.escaped(String(line)), to: .error)
        }
        exit(status.rawValue)
    }
}
