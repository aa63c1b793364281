import Glibc
import Invocation
import Model
import Platform
import Reporting
import Service
import Toggling

/// Turns reports into lines and objects.
final class ReportPrinter {
    private let console: Console
    private let isJSON: Bool
    private let verbosity: Verbosity
    /// A one-shot's last cycle is its result.
    private let isOneShot: Bool
    /// `probe` also prints the explanation of its verdict.
    private let tellsEvidence: Bool
    private var voices: [Int: Voice] = [:]

    /// The formatter of one interface, with its settings. A class, because a dictionary of values keeps room
    /// for as many again.
    private final class Voice {
        var formatter: LogFormatter

        init(_ verbosity: Verbosity) { formatter = LogFormatter(verbosity: verbosity) }
    }

    init(_ console: Console, _ request: Request, isOneShot: Bool) {
        self.console = console
        self.isOneShot = isOneShot
        isJSON = request.output.isJSON
        tellsEvidence = request.command == .probe && !isJSON
        verbosity =
            switch request.output.verbosity {
            case .quiet: .quiet
            case .normal: .normal
            case .verbose: .verbose
            }
    }

    /// The new settings of an interface.
    func know(_ settings: Settings, of interfaceRef: InterfaceRef) {
        voice(for: interfaceRef).formatter.settings = settings
    }

    private func voice(for interfaceRef: InterfaceRef) -> Voice {
        if let voice = voices[interfaceRef.id] { return voice }
        let voice = Voice(verbosity)
        voices[interfaceRef.id] = voice
        return voice
    }

    func take(_ report: Report, _ interfaceRef: InterfaceRef) {
        let now = Instant(nanoseconds: BootClock.now())
        if isJSON, case .cycle(let cycle) = report, !isOneShot || cycle.next == nil {
            console.result(
                CycleJSON.json(
                    cycle, interface: interfaceRef.name, time: WallClock.rfc3339(), now: now,
                    wallTime: { WallClock.rfc3339(in: $0) }))
        }
        let voice = voice(for: interfaceRef)
        let lines = voice.formatter.lines(for: report, interface: interfaceRef.name, at: now)
        if lines.isEmpty { return }
        let record = JournalFields(report, interface: interfaceRef.name)
        var results: [String] = []
        for (position, line) in lines.enumerated() {
            // The lines after the first one are about the same event, and get no MESSAGE_ID of their own.
            let number = position == 0 ? [record.interfaceRef.field] : []
            if isResult(report, line) {
                results.append(line.text)
            } else {
                console.say(line, number + record.fields)
            }
            if position == 0 { results += evidence(of: report) }
        }
        console.results(results)
    }

    /// The explanation below the verdict.
    private func evidence(of report: Report) -> [String] {
        guard tellsEvidence, case .cycle(let cycle) = report else { return [] }
        return EvidenceTable.lines(cycle.verdict.evidence)
    }

    /// With JSON on standard output, people read standard error.
    private func isResult(_ report: Report, _ line: Line) -> Bool {
        guard isOneShot, !isJSON, line.weight != .error, case .cycle(let cycle) = report else { return false }
        return cycle.next == nil
    }

    /// A line of the service that acts for this process.
    func `repeat`(_ line: Line, about interface: String) { note(line.weight, line.text, about: interface) }

    /// The last lines of that service.
    func `repeat`(_ lines: [Line], about interface: String, result: JSONText?) {
        if isJSON, let result { console.result(result) }
        for line in lines {
            let isResult = !isJSON && line.weight != .error && isWanted(line.weight)
            isResult ? console.result(line.text) : `repeat`(line, about: interface)
        }
    }

    /// - Parameters:
    ///   - interface: the subject, whose name is already in the text; nil: none, or several.
    ///   - interfaceRef: the kind of message; nil: it has no MESSAGE_ID.
    func note(
        _ weight: Line.Weight, _ text: @autoclosure () -> String, about interface: String? = nil,
        _ interfaceRef: MessageID? = nil
    ) {
        if isWanted(weight) { console.say(Line(weight, text()), about: interface, interfaceRef) }
    }

    private func isWanted(_ weight: Line.Weight) -> Bool {
        switch verbosity {
        case .quiet: weight <= .error
        case .normal: weight <= .notice
        case .verbose: true
        }
    }

    /// Whether any owner could conflict with the settings of an interface.
    func mayWarn(of interfaceRef: InterfaceRef) -> Bool {
        ConfigConflict.isPossible(under: voices[interfaceRef.id]?.formatter.settings ?? Settings())
    }

    /// Reports where the owner of an interface conflicts with its settings.
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
