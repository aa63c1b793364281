import Glibc
import Platform
import Reporting
import Service

import enum Invocation.LogTarget

/// The program's voice: results on standard output, everything else on standard error, or in the machine's
/// log.
struct Console {
    static let program = "wifi-toggler"
    /// The journal reads standard error.
    private let isJournal: Bool
    private var log: LogTarget = .stderr
    /// nil: nothing is shown that would be in the way of a line.
    var progress: ProgressDisplay?

    init(environment: [String: String]) { isJournal = Output.isJournal(environment: environment) }

    /// The same, that says what is no result where it is wanted.
    /// - Parameter stays: the process does not end soon after it has said something. One that does may be
    ///   gone before the journal looks whose message it was; of its standard error that is known.
    func directed(to log: LogTarget, stays: Bool) -> Console {
        var console = self
        switch log {
        case .auto where !stays: console.log = .stderr
        // A daemon that was started without anybody to hear it; where there is no syslog either, nothing is
        // lost.
        case .auto: console.log = isJournal ? .journal : Output.isLost() ? .syslog : .stderr
        case .stderr, .journal, .syslog: console.log = log
        }
        return console
    }

    /// For what is said shortly before the end of a process.
    var atEnd: Console {
        var console = self
        if isJournal { console.log = .stderr }
        return console
    }

    /// - Parameter fields: of the journal, beside the line itself.
    func say(_ line: Line, _ fields: [(name: String, value: String)] = []) {
        let level = LogLevel(rawValue: UInt8(line.weight.rawValue)) ?? .notice
        let text = Output.escaped(line.text)
        switch log {
        case .auto, .stderr: break
        case .journal:
            let own = [
                ("MESSAGE", text), ("PRIORITY", String(level.rawValue)), ("SYSLOG_IDENTIFIER", Self.program),
            ]
            if LogSocket.journal.send(LogMessage.journal(own + fields)) { return }
        case .syslog:
            if LogSocket.syslog.send(LogMessage.syslog(text, level: level, program: Self.program)) { return }
        }
        write(line.text, level)
    }

    /// - Parameters:
    ///   - interface: that it is about; nil: none, or several.
    ///   - subject: nil: nothing that somebody searches for.
    func say(_ line: Line, about interface: String?, _ interfaceRef: MessageID? = nil) {
        say(line, JournalFields.fields(about: interface, interfaceRef))
    }

    private func write(_ text: String, _ level: LogLevel) {
        // The journal names the program itself.
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

    /// Listens to signals, or ends the process with the reason.
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
        fail("could not listen to signals: \(error.words)", .systemRefused)
    }

    /// Prints a text that ends its lines itself.
    func text(_ text: String) {
        Output.write(text.last == "\n" ? String(text.dropLast()) : text, to: .standard)
    }

    /// One line that says what is wrong, and the end of the process. Text of ours that has more lines is
    /// printed as it is behind the first.
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
