import Model
import Toggling

/// A trace: the events of togglers and their decisions, recorded so that they can be replayed.
///
/// A trace is lines of JSON in Swift's derived coding (`Codable`). The first line of a trace, and of each run
/// that was appended to it, is the title. Then there is one line for the start of each toggler and one for
/// each event, which is followed by a line for each decision. Times are nanoseconds on the boot-time clock.
///
///     {"wifi-toggler-trace":2,"program":"0.1.0"}
///     {"at":1000,"id":1,"interface":"wlan0","begins":{"runMode":"watch","settings":{...},"seed":"7",...}}
///     {"at":1000,"id":1,"interface":"wlan0","event":{"started":{"isPresent":true}}}
///     {"id":1,"does":{"kernelState":{"_0":1,"with":{...}}}}
public enum Trace {
    /// The version of the format. A new event case, a new setting, or a new optional member does not change
    /// it, because older traces stay readable. In decisions, a member that was added since and is `false`, or
    /// has a setting's default, is no difference.
    static let version: Int64 = 2
    static let titleKey = "wifi-toggler-trace"
    /// The beginning of every trace.
    public static let start = Array("{\"\(titleKey)\":".utf8)
    /// The longest line in bytes: a snapshot of thousands of routes is shorter.
    public static let longestLine = 4 << 20
    /// The largest trace, in bytes.
    public static let largest = 64 << 20

    /// The start of a toggler: all parameters of `Toggler.init`.
    public struct Beginning: Codable, Hashable, Sendable {
        public var runMode: RunMode
        public var settings: Settings
        public var seed: UInt64
        /// When the interface appeared (see `Toggler.init`).
        public var appearedAt: Instant?
        public var knownTargets: KnownTargets
        public var limiter: BounceLimiter.Saved
        public var place: Int

        public init(
            runMode: RunMode, settings: Settings, seed: UInt64, appearedAt: Instant? = nil,
            knownTargets: KnownTargets = KnownTargets(), limiter: BounceLimiter.Saved = BounceLimiter.Saved(),
            place: Int = 0
        ) {
            self.runMode = runMode
            self.settings = settings
            self.seed = seed
            self.appearedAt = appearedAt
            self.knownTargets = knownTargets
            self.limiter = limiter
            self.place = place
        }

        public var toggler: Toggler {
            Toggler(
                runMode: runMode, settings: settings, seed: seed, appearedAt: appearedAt,
                knownTargets: knownTargets, limiter: limiter, place: place)
        }
    }

    /// The toggler to which a line belongs, and the time.
    public struct Stamp: Codable, Hashable, Sendable {
        public var at: Instant
        /// Unique among the togglers of one run.
        public var id: Int
        /// The interface's name at that time.
        public var interface: String

        public init(at: Instant, id: Int, interface: String) {
            self.at = at
            self.id = id
            self.interface = interface
        }
    }

    // MARK: Writing lines

    /// The title line, with this program version.
    public static func title(program: String) -> String {
        Line.title(program: program).text
    }

    /// The line of a toggler's start.
    public static func beginning(_ beginning: Beginning, _ stamp: Stamp) -> String {
        Line.begins(stamp, beginning).text
    }

    /// The lines of an event and of the decisions on it.
    public static func turn(_ event: Event, _ effects: [Effect], _ stamp: Stamp) -> String {
        Line.event(stamp, event).text
            + decisions(effects).map { decision($0, stamp.id) }.joined()
    }

    /// The line of one decision.
    /// - Parameter effect: the derived coding of the effect.
    public static func decision(_ effect: String, _ id: Int) -> String { Line.does(id, effect).text }

    /// The time as seconds on the boot-time clock, with three decimals.
    public static func seconds(_ instant: Instant) -> String {
        let (seconds, rest) = (instant.nanoseconds / 1_000_000).quotientAndRemainder(dividingBy: 1000)
        return "\(seconds).\(String(1000 + rest).dropFirst())"
    }

    static func decisions(_ effects: [Effect]) -> [String] {
        effects.map { JSONText(encoding: $0).line }
    }

    /// The name of the event's case, as in a trace.
    static func name(of event: Event) -> String {
        guard case .object(let members) = JSONText(encoding: event) else { return "" }
        return members.first?.0 ?? ""
    }
}
