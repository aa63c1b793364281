/// What the command line requests.
public enum Invocation: Equatable, Sendable {
    /// Print `Help.text(for:)`.
    case help(Command?)
    /// Print `Help.version`.
    case version
    case perform(Request)

    /// Parses the arguments, without the program's name. Options and operands may be mixed; `--` ends the
    /// options. All values are checked here, so that no later code meets an invalid one.
    ///
    /// It is on the main actor because getopt_long(3) keeps its state in global variables.
    /// - Throws: the first error: of the command, then of the options, then of the other operands.
    @MainActor public static func parse(_ arguments: [String]) throws(UsageError) -> Invocation {
        let scan = ArgumentScanner.scan(arguments)
        let asksForHelp = scan.items.contains(.option(.help, argument: nil))
        let asksForVersion = scan.items.contains(.option(.version, argument: nil))
        var operands: [String] = scan.items.compactMap {
            if case .operand(let text) = $0 { text } else { nil }
        }
        guard !operands.isEmpty else {
            if asksForHelp { return .help(nil) }
            if asksForVersion { return .version }
            throw scan.mistake ?? .commandMissing
        }
        let word = operands.removeFirst()
        guard let command = Command(rawValue: word) else { throw unknownCommand(word) }
        if asksForHelp { return .help(command) }
        if asksForVersion { return .version }
        if let mistake = scan.mistake { throw mistake }
        let layer = try readOptions(scan.items, of: command)
        let duration = try takeDuration(&operands, of: command)
        let trace = try takeFile(&operands, of: command)
        let interfaces = try readInterfaces(operands, of: command)
        var request = Request(
            command: command, interfaces: interfaces, duration: duration, commandLine: layer)
        request.trace = trace ?? request.trace
        return .perform(request)
    }

    private static func unknownCommand(_ word: String) -> UsageError {
        // A user who types "wifi-toggler version" means the option.
        if word == OptionName.help.rawValue || word == OptionName.version.rawValue {
            return .unknownCommand(word, suggestion: "--" + word)
        }
        let names = Command.allCases.map(\.rawValue)
        return .unknownCommand(word, suggestion: Suggestion.nearest(to: word, among: names))
    }

    @MainActor private static func readOptions(
        _ items: [ArgumentScanner.Item], of command: Command
    ) throws(UsageError) -> OptionLayer {
        var layer = OptionLayer()
        for case .option(let name, let argument) in items {
            let row = OptionTable.row(name)
            guard row.commands.contains(command) else {
                throw .optionOfOtherCommand(option: row.flag, command: command)
            }
            let text = argument ?? "yes"
            do throws(ValueProblem) {
                try layer.set(row, to: text)
            } catch {
                throw badValue(of: row, text, error)
            }
        }
        do throws(ValueProblem) {
            try layer.checkBackoff()
        } catch {
            let longest = layer.duration(.backoffMaximum).map(DurationText.format) ?? ""
            throw badValue(of: OptionTable.row(.backoffMaximum), longest, error)
        }
        return layer
    }

    private static func badValue(of row: OptionRow, _ text: String, _ problem: ValueProblem)
        -> UsageError
    {
        .badValue(option: row.flag, value: text, problem: problem, example: row.example)
    }

    private static func takeDuration(
        _ operands: inout [String], of command: Command
    ) throws(UsageError) -> Duration? {
        guard command.row.operands == .durationAndInterface else { return nil }
        let example = "30m"
        guard !operands.isEmpty else {
            throw .argumentMissing(option: command.rawValue, placeholder: "DURATION", example: example)
        }
        let text = operands.removeFirst()
        do throws(ValueProblem) {
            let value = try OptionKind.duration(.zero...OptionTable.longestHold).parse(text)
            return if case .duration(let duration) = value { duration } else { nil }
        } catch {
            throw .badValue(option: command.rawValue, value: text, problem: error, example: example)
        }
    }

    private static func takeFile(_ operands: inout [String], of command: Command) throws(UsageError)
        -> String?
    {
        guard command.row.operands == .file else { return nil }
        let example = OptionTable.row(.record).example
        guard !operands.isEmpty else {
            throw .argumentMissing(option: command.rawValue, placeholder: "FILE", example: example)
        }
        let path = operands.removeFirst()
        guard !path.isEmpty else {
            throw .badValue(option: command.rawValue, value: path, problem: .empty, example: example)
        }
        return path
    }

    private static func readInterfaces(
        _ operands: [String], of command: Command
    ) throws(UsageError) -> [InterfacePattern] {
        let most: Int =
            switch command.row.operands {
            case .none, .file: 0
            case .oneInterface, .durationAndInterface: 1
            case .interfaces: .max
            }
        if operands.count > most { throw .operandUnexpected(operands[most], command: command) }
        var interfaces: [InterfacePattern] = []
        for operand in operands {
            do throws(InterfacePattern.Problem) {
                let pattern = try InterfacePattern(operand)
                if !interfaces.contains(pattern) { interfaces.append(pattern) }
            } catch {
                throw .badInterface(operand, error)
            }
        }
        return interfaces
    }
}
