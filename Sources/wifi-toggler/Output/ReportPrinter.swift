import Glibc
import Invocation
import Model
import Platform
import Reporting
import Service
import Toggling

/// Prints records as lines of text and as JSON objects.
final class ReportPrinter {
    private let console: Console
    private let isJSON: Bool
    private var verbosity: Verbosity { console.verbosity }
    /// Whether this is a one-shot command. Its last cycle is its result.
    private let isOneShot: Bool
    /// Whether to print the evidence of the verdict, as `probe` does.
    private let tellsEvidence: Bool
    private var voices: [Int: Voice] = [:]

    /// The formatter of one interface, with the interface's settings. This is a class, because a dictionary
    /// of values would reserve memory for twice as many.
    private final class Voice {
        var formatter: LogFormatter

        init(_ verbosity: Verbosity) { formatter = LogFormatter(verbosity: verbosity) }
    }

    init(_ console: Console, _ request: Request, isOneShot: Bool) {
        self.console = console
        self.isOneShot = isOneShot
        isJSON = request.output.isJSON
        tellsEvidence = request.command == .probe && !isJSON
    }

    /// Stores the new settings of an interface.
    func know(_ settings: Settings, of interfaceRef: InterfaceRef) {
        voice(for: interfaceRef).formatter.settings = settings
    }

    private func voice(for interfaceRef: InterfaceRef) -> Voice {
        if let voice = voices[interfaceRef.id] { return voice }
        let voice = Voice(verbosity)
        voices[interfaceRef.id] = voice
        return voice
    }

    func take(_ record: Record, _ interfaceRef: InterfaceRef) {
        if isJSON, let cycle = record.cycle, !isOneShot || cycle.next == nil {
            console.result(record.json(wallTime: Self.wallTime))
        }
        let lines = voice(for: interfaceRef).formatter.lines(for: record)
        // If standard output is JSON, messages for people go to standard error.
        let isResult = isOneShot && !isJSON && record.cycle.map { $0.next == nil } ?? false
        var results: [String] = []
        for (position, line) in lines.enumerated() {
            if isResult, line.level != .error {
                results.append(line.text)
            } else {
                console.say(line, JournalFields.fields(of: record, isFirst: position == 0))
            }
            // The evidence is printed below the verdict.
            if position == 0, tellsEvidence, let cycle = record.cycle {
                results += EvidenceTable.lines(cycle.verdict.evidence)
            }
        }
        console.results(results)
    }

    /// The wall-clock time of an instant as RFC 3339.
    static func wallTime(_ instant: Instant) -> String {
        WallClock.rfc3339(in: instant - Instant.now)
    }

    /// Prints a line of the service that acts for this process.
    func `repeat`(_ line: Line, about interface: String) { note(line.level, line.text, about: interface) }

    /// Prints the last lines of the service, and its result.
    func `repeat`(_ lines: [Line], about interface: String, result: JSONText?) {
        if isJSON, let result { console.result(result) }
        for line in lines {
            let isResult = !isJSON && line.level != .error && verbosity.wants(line.level)
            isResult ? console.result(line.text) : `repeat`(line, about: interface)
        }
    }

    /// Prints a message if the verbosity includes its level.
    /// - Parameters:
    ///   - interface: the interface, whose name is already in the text; nil if there is none, or more than
    ///     one.
    ///   - kind: the kind of the message; nil if the message has no MESSAGE_ID.
    func note(
        _ level: LogLevel, _ text: @autoclosure () -> String, about interface: String? = nil,
        _ kind: Record.Kind? = nil
    ) { console.note(level, text(), about: interface, kind) }

    /// Whether an owner may conflict with the settings of an interface.
    func mayWarn(of interfaceRef: InterfaceRef) -> Bool {
        ConfigConflict.isPossible(under: voices[interfaceRef.id]?.formatter.settings ?? Settings())
    }

    /// Warns where the owners of an interface conflict with its settings.
    func warn(_ ownership: Ownership, of interfaceRef: InterfaceRef) {
        for configConflict in ownership.configConflicts(
            under: voices[interfaceRef.id]?.formatter.settings ?? Settings())
        {
            note(.warning, "\(interfaceRef.name): \(configConflict.text)", about: interfaceRef.name)
        }
    }

    func stateChanged(_ interfaceRef: InterfaceRef, _ from: String, _ to: String) {
        note(.debug, "\(interfaceRef.name): \(from) → \(to)", about: interfaceRef.name)
    }
}
