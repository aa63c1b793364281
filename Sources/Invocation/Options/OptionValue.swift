import Model

/// The value of an option, parsed and in range.
enum OptionValue: Equatable, Sendable {
    case flag(Bool)
    case duration(Duration)
    case count(Int)
    case path(String)
    case probe(ProbeSpec)
    case methods(MethodText)
    case layers(LayerSet)
    case user(String)
    /// Windows of quiet hours; empty: the word `none`.
    case quietHours([QuietWindow])
    case instant(TimeText.Value)
    case log(LogTarget)
    case powerSave(PowerSave)
}

extension OptionKind {
    /// Parses a value of this kind of option, and checks its range.
    func parse(_ text: String) throws(ValueProblem) -> OptionValue {
        guard !text.isEmpty else { throw .empty }
        switch self {
        case .flag, .yesOrNo: return .flag(try Self.parseFlag(text))
        case .duration(let range): return .duration(try Self.parseDuration(text, in: range))
        case .count(let range): return .count(try Self.parseCount(text, in: range))
        case .percent(let range):
            return .count(try Self.parseCount(text.hasSuffix("%") ? text.dropLast() : text[...], in: range))
        case .file, .directory: return .path(text)
        case .absoluteDirectory:
            guard text == Request.nowhere || text.utf8.first == UInt8(ascii: "/") else { throw .notAbsolute }
            return .path(text)
        case .probe: return .probe(try ProbeText.parse(text))
        case .method: return .methods(try MethodText.parse(text))
        case .layers: return .layers(try Self.parseLayers(text))
        case .user:
            guard UserText.isName(text) else { throw .notAUser }
            return .user(text)
        case .quietWindow: return .quietHours(try QuietWindowText.parse(text))
        case .instant: return .instant(try TimeText.parse(text))
        case .log:
            guard let log = LogTarget(rawValue: text) else {
                let known = LogTarget.allCases.map(\.rawValue)
                throw .unknownLog(suggestion: Suggestion.nearest(to: text, among: known))
            }
            return .log(log)
        case .powerSave:
            guard let powerSave = PowerSave(rawValue: text) else { throw .notPowerSave }
            return .powerSave(powerSave)
        }
    }

    private static func parseFlag(_ text: String) throws(ValueProblem) -> Bool {
        switch text.lowercased() {
        case "yes", "true", "on", "1": return true
        case "no", "false", "off", "0": return false
        default: throw .notYesOrNo
        }
    }

    private static func parseDuration(
        _ text: String, in range: ClosedRange<Duration>
    ) throws(ValueProblem) -> Duration {
        let duration: Duration
        do {
            duration = try DurationText.parse(text)
        } catch {
            switch error {
            case .malformed: throw .notADuration
            case .tooLarge: throw .tooLong(range.upperBound)
            }
        }
        if duration > range.upperBound { throw .tooLong(range.upperBound) }
        if duration < range.lowerBound { throw .tooShort(range.lowerBound) }
        return duration
    }

    private static func parseCount(
        _ text: some StringProtocol, in range: ClosedRange<Int>
    ) throws(ValueProblem) -> Int {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isASCIIDigit) else { throw .notANumber }
        // A number that does not fit into an Int is still a number, only out of range.
        guard let count = Int(text), range.contains(count) else { throw .outOfRange(range) }
        return count
    }

    private static func parseLayers(_ text: String) throws(ValueProblem) -> LayerSet {
        var layers: LayerSet = []
        for name in ListText.elements(of: text) {
            guard let layer = Layer(rawValue: name) else {
                let known = Layer.eligibleForBounce.map(\.rawValue)
                throw .unknownLayer(suggestion: Suggestion.nearest(to: name, among: known))
            }
            guard Layer.eligibleForBounce.contains(layer) else { throw .layerNeverBounced(name) }
            layers.insert(layer)
        }
        return layers
    }
}
