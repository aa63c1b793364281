import Glibc
import Model
import Platform
import Reporting

import enum Invocation.LogTarget

/// The output of the program. Results go to standard output, everything else to standard error or to the
/// machine's log.
struct Console {
    static let program = "wifi-toggler"
    /// Whether the journal reads standard error.
    private let isJournal: Bool
    private var log: LogTarget = .stderr
    /// Which messages of `note` are shown.
    var verbosity: Verbosity = .normal
    /// The progress line on a terminal; nil if it is not shown.
    var progress: ProgressDisplay?
    private let standardOutput = StandardOutput()

    init(environment: [String: String]) { isJournal = Output.isJournal(environment: environment) }

    /// Returns a console that sends messages, but not results, to a log.
    /// - Parameter stays: whether the process continues after a message. If a process ends soon after it has
    ///   sent a message to the journal's socket, the journal may not find the process's unit. For standard
    ///   error, the journal knows the unit.
    func directed(to log: LogTarget, _ verbosity: Verbosity, stays: Bool) -> Console {
        var console = self
        console.verbosity = verbosity
        switch log {
        case .auto where !stays: console.log = .stderr
        // A daemon may have its standard error on /dev/null. Then messages go to syslog; if that is missing,
        // too, they are lost.
        case .auto: console.log = isJournal ? .journal : Output.isLost() ? .syslog : .stderr
        case .stderr, .journal, .syslog: console.log = log
        }
        return console
    }

    /// A console for messages shortly before the process ends.
    var atEnd: Console {
        var console = self
        if isJournal { console.log = .stderr }
        return console
    }

    /// Prints a message.
    /// - Parameter fields: additional fields for the journal.
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

    /// Prints a message.
    /// - Parameters:
    ///   - interface: the interface that the message is about; nil if there is none, or more than one.
    ///   - kind: the kind of the message; nil if the message has no MESSAGE_ID.
    func say(_ line: Line, about interface: String?, _ kind: Record.Kind? = nil) {
        say(line, JournalFields.fields(about: interface, kind))
    }

    /// Prints a message if the verbosity includes its level.
    func note(
        _ level: LogLevel, _ text: @autoclosure () -> String, about interface: String? = nil,
        _ kind: Record.Kind? = nil
    ) {
        if verbosity.wants(level) { say(Line(level, text()), about: interface, kind) }
    }

    private func write(_ text: String, _ level: LogLevel) {
        // The journal itself adds the name of the program.
        let text = isJournal ? text : "\(Self.program): \(text)"
        write(Output.line(text, level: level, isJournal: isJournal), to: .error)
    }

    @discardableResult
    private func write(_ text: String, to stream: Output.Stream) -> SystemError? {
        guard let progress else { return Output.write(text, to: stream) }
        return progress.giveWay { Output.write(text, to: stream) }
    }

    func result(_ text: String) { printResult(Output.escaped(text)) }

    /// Prints several result lines with one write.
    func results(_ lines: [String]) {
        if !lines.isEmpty { printResult(lines.map(Output.escaped).joined(separator: "\n")) }
    }

    func result(_ json: JSONText) { printResult(json.line) }

    /// Prints a result. If a result is lost, says so once; but not if the reader has closed standard output
    /// (EPIPE), as `head` does, because then nobody misses the result.
    private func printResult(_ text: String) {
        guard let error = write(text, to: .standard), error.code != EPIPE, !standardOutput.isIncomplete else {
            return
        }
        standardOutput.isIncomplete = true
        say(Line(.error, "could not write all results to standard output: \(error.description)"))
    }

    /// Handles signals. Ends the process if that fails.
    func signals(
        _ numbers: [Int32], atOnce: Bool = true, _ handler: @escaping @MainActor (Int32) -> Void
    ) -> SignalSources {
        do {
            return try SignalSources(numbers, atOnce: atOnce, handler)
        } catch {
            failToWait(error)
        }
    }

    /// Ends the process because it cannot wait for events, such as signals.
    func failToWait(_ error: SystemError) -> Never {
        fail("could not set up the event loop", error)
    }

    /// Prints what failed and why, and ends the process.
    func fail(_ what: String, _ error: SystemError) -> Never {
        let kind: Failure.Kind = error.code == EACCES ? .notPermitted : .other
        let failure = Failure(kind: kind, code: error.code, description: error.description)
        fail(failure.description(after: what), .systemRefused)
    }

    /// Prints a text that contains line feeds.
    func text(_ text: String) {
        printResult(text.last == "\n" ? String(text.dropLast()) : text)
    }

    /// Ends the process. If results were lost, a command that would have succeeded ends with `cannotWrite`
    /// instead.
    func end(_ status: ExitStatus) -> Never { end(withRawValue: status.rawValue) }

    /// Like ``end(_:)``, with the raw value of the status, which a service may have sent.
    func end(withRawValue status: Int32) -> Never {
        let isFailed = status == ExitStatus.healthy.rawValue && standardOutput.isIncomplete
        exit(isFailed ? ExitStatus.cannotWrite.rawValue : status)
    }

    /// Prints an error and ends the process. Only the first line of the sentence is treated as a message; the
    /// other lines go to standard error without the program's name.
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

/// The state of standard output, which all copies of a ``Console`` share.
private final class StandardOutput {
    /// Whether a result was lost.
    var isIncomplete = false
}
