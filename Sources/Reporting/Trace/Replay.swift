import Model
import Toggling

/// Replays a trace: takes its lines one by one, lets the current core (target Toggling) decide again, and
/// reports where its decisions differ from the recorded ones.
///
/// The events are always those of the trace. So the first difference of a toggler is certain, but later ones
/// may follow from it: the current core ignores an answer to a question that it did not ask, and its own
/// question is never answered.
public struct Replay {
    /// An event on which the recorded and the current core decided differently.
    public struct Difference: Equatable, Sendable {
        public var stamp: Trace.Stamp
        /// The number of the event among this toggler's events; the first is 1.
        public var number: Int
        public var event: Event
        /// The number of the event's line in the trace; the first is 1.
        public var line: Int
        public var then: [String]
        public var today: [String]
    }

    /// One result of a replay.
    public indirect enum Finding: Sendable {
        case differs(Difference)
        /// A report of the current core.
        case told(Trace.Stamp, Report)
    }

    private final class Unit {
        var toggler: Toggler
        var events = 0

        init(_ toggler: Toggler) { self.toggler = toggler }
    }

    private var units: [Int: Unit] = [:]
    /// The event whose recorded decisions are still being read.
    private var open: Difference?
    private var line = 0
    public private(set) var events = 0

    public init() {}

    /// Takes the next line.
    /// - Parameter bytes: the line without its line feed.
    /// - Throws: the line is not a line of a trace, or is in the wrong place.
    public mutating func take(_ bytes: ArraySlice<UInt8>) throws(TraceMistake) -> [Finding] {
        line += 1
        let read = try Trace.Line(bytes)
        if line == 1 {
            guard case .title = read else { throw .misplaced("no trace: it does not begin with a title") }
        }
        switch read {
        case .title:
            defer { units = [:] }
            return close()
        case .begins(let stamp, let beginning):
            units[stamp.id] = Unit(beginning.toggler)
            return close()
        case .event(let stamp, let event): return close() + (try replay(event, stamp))
        case .does(let id, let effect):
            guard open?.stamp.id == id else { throw .misplaced("a decision without its event") }
            open?.then.append(effect)
            return []
        }
    }

    /// Ends the replay. Call it after the last line.
    /// - Throws: the trace is empty.
    public mutating func end() throws(TraceMistake) -> [Finding] {
        guard line > 0 else { throw .misplaced("no trace: the file is empty") }
        return close()
    }

    private mutating func replay(_ event: Event, _ stamp: Trace.Stamp) throws(TraceMistake) -> [Finding] {
        guard let unit = units[stamp.id] else {
            throw .misplaced(
                "the lines before this event lack the initial state of its interface"
                    + " (record the trace anew, into an empty file)")
        }
        let effects = unit.toggler.handle(event, at: stamp.at)
        unit.events += 1
        events += 1
        open = Difference(
            stamp: stamp, number: unit.events, event: event, line: line, then: [],
            today: Trace.decisions(effects))
        return effects.compactMap { if case .report(let report) = $0 { .told(stamp, report) } else { nil } }
    }

    private mutating func close() -> [Finding] {
        guard let difference = open else { return [] }
        open = nil
        return difference.isNone ? [] : [.differs(difference)]
    }
}

extension Replay.Difference {
    /// The event and its place in the trace.
    public var headline: String {
        "\(stamp.interface): event \(number) at \(Trace.seconds(stamp.at)) s, "
            + "\(Trace.name(of: event)): other decisions than recorded (- recorded, + now)"
    }

    /// The decisions that differ: those that both lists have in common at the beginning and at the end are
    /// left out. `-` marks the recorded decisions, `+` the current ones.
    public var lines: [String] {
        let same = zip(then, today).prefix(while: Self.isSame).count
        let rest = (then.dropFirst(same), today.dropFirst(same))
        let sameEnd = zip(rest.0.reversed(), rest.1.reversed()).prefix(while: Self.isSame).count
        return rest.0.dropLast(sameEnd).map { "- \($0)" } + rest.1.dropLast(sameEnd).map { "+ \($0)" }
    }

    /// Whether the decisions are the same.
    fileprivate var isNone: Bool { then.count == today.count && zip(then, today).allSatisfy(Self.isSame) }

    /// Whether a recorded decision is the same as a current one, apart from members that were added since.
    private static func isSame(_ recorded: String, _ current: String) -> Bool {
        if recorded == current { return true }
        guard let recorded = try? JSONReader.value(of: Array(recorded.utf8)[...]),
            let current = try? JSONReader.value(of: Array(current.utf8)[...])
        else { return false }
        return recorded.isSame(as: current)
    }
}

extension JSONText {
    /// Whether this value of an older recording is the same as the current one. Members that were added since
    /// may be missing in it if they are `false` now or, in the settings, have their default.
    fileprivate func isSame(as current: JSONText) -> Bool {
        switch (self, current) {
        case (.object(let then), .object(let now)):
            let known = Dictionary(then) { first, _ in first }
            guard known.count == now.count(where: { known[$0.0] != nil }) else { return false }
            return now.allSatisfy { name, value in
                if let recorded = known[name] {
                    return (name == "watching" ? recorded.withAllSettings : recorded).isSame(as: value)
                }
                if case .bool(false) = value { return true }
                return false
            }
        case (.array(let then), .array(let now)):
            return then.count == now.count && zip(then, now).allSatisfy { $0.isSame(as: $1) }
        default: return line == current.line
        }
    }

    /// The content of a report `watching`, in which the settings that it lacks have their defaults.
    private var withAllSettings: JSONText {
        guard case .object(let members) = self else { return self }
        let defaults = JSONText(encoding: Settings.defaults)
        return .object(members.map { ($0, $0 == "_0" ? defaults.overlaid(with: $1) : $1) })
    }
}
