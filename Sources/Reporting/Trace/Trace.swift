import Model
import Toggling

/// A trace: what happened to togglers, and what they decided, so that it can be decided again.
///
/// Lines of JSON, in Swift's derived coding (`Codable`). The first line of a trace, and of each run that was appended to it, is the title; then for each
/// toggler how it began, and for each event what it was, followed by a line for each decision. Times are
/// nanoseconds on the boot-time clock.
///
///     {"wifi-toggler-trace":2,"program":"0.1.0"}
///     {"at":1000,"id":1,"interface":"wlan0","begins":{"runMode":"watch","settings":{...},"seed":"7",...}}
///     {"at":1000,"id":1,"interface":"wlan0","event":{"started":{"isPresent":true}}}
///     {"id":1,"does":{"kernelState":{"_0":1,"with":{...}}}}
public enum Trace {
    /// Of the format. A new case of an event, a new setting, or a new member that may be nil is no other version: older
    /// traces stay readable.
    static let version: Int64 = 2
    static let titleKey = "wifi-toggler-trace"
    /// With what every trace begins.
    public static let start = Array("{\"\(titleKey)\":".utf8)
    /// Longer lines are none of ours, in bytes: a snapshot of thousands of routes is shorter.
    public static let longestLine = 4 << 20
    /// No trace becomes larger, in bytes.
    public static let largest = 64 << 20

    /// How a toggler began: all that it is made of.
    public struct Beginning: Codable, Hashable, Sendable {
        public var runMode: RunMode
        public var settings: Settings
        public var seed: UInt64
        /// See `Toggler.init`.
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

    /// Which toggler, and when.
    public struct Stamp: Codable, Hashable, Sendable {
        public var at: Instant
        /// Told apart from every other toggler of the same run.
        public var id: Int
        /// Its name at that time.
        public var interface: String

        public init(at: Instant, id: Int, interface: String) {
            self.at = at
            self.id = id
            self.interface = interface
        }
    }

    // MARK: To lines

    /// The first line, of a program of this version.
    public static func title(program: String) -> String {
        Line.title(program: program).text
    }

    public static func beginning(_ beginning: Beginning, _ stamp: Stamp) -> String {
        Line.begins(stamp, beginning).text
    }

    /// An event and what followed from it.
    public static func turn(_ event: Event, _ effects: [Effect], _ stamp: Stamp) -> String {
        Line.event(stamp, event).text
            + decisions(effects).map { decision($0, stamp.id) }.joined()
    }

    /// One of the lines below an event.
    ///
    /// - Parameter effect: its derived coding.
    public static func decision(_ effect: String, _ id: Int) -> String { Line.does(id, effect).text }

    /// Seconds on the boot-time clock, with three digits behind the point.
    public static func seconds(_ instant: Instant) -> String {
        let (seconds, rest) = (instant.nanoseconds / 1_000_000).quotientAndRemainder(dividingBy: 1000)
        return "\(seconds).\(String(1000 + rest).dropFirst())"
    }

    static func decisions(_ effects: [Effect]) -> [String] {
        effects.map { JSONText(encoding: $0).line }
    }

    /// Of the case, as it stands in a trace.
    static func name(of event: Event) -> String {
        guard case .object(let members) = JSONText(encoding: event) else { return "" }
        return members.first?.0 ?? ""
    }
}
