import Model

/// The measurements of the checks in a quarter of an hour, for curves. A sample also shows that the service
/// still watched the interface at the end of this time.
public struct HistorySample: Hashable, Sendable {
    /// The minimum, median and maximum of some numbers.
    public struct Spread: Hashable, Sendable {
        public var least: Int64
        public var median: Int64
        public var most: Int64

        /// Returns nil unless the numbers are in ascending order.
        init?(least: Int64, median: Int64, most: Int64) {
            guard least <= median, median <= most else { return nil }
            (self.least, self.median, self.most) = (least, median, most)
        }
    }

    /// The number of checks; 0: the interface was absent.
    public var checks: Int
    /// The number of probes that were sent and not answered. Commands do not count, nor do targets that have
    /// never answered in this network.
    public var unanswered: Int
    /// The signal in dBm; nil: not known.
    public var signal: Spread?
    /// The round trip in microseconds; nil: no probe was needed, or none was answered.
    public var roundTrip: Spread?

    /// The sample of an interface that was absent.
    static let ofAbsence = HistorySample(checks: 0, unanswered: 0, signal: nil, roundTrip: nil)
}

// MARK: As JSON, in the history

extension HistorySample {
    private static let dBm: ClosedRange<Int64> = -128...127
    /// The possible round trips: no probe waits longer than an hour.
    private static let microseconds: ClosedRange<Int64> = 0...3_600_000_000
    private static let counts: ClosedRange<Int64> = 0...1_000_000_000

    var members: [(String, JSONText)] {
        [
            ("checks", .integer(Int64(checks))), ("unanswered", .integer(Int64(unanswered))),
            ("signal_dbm", signal?.json ?? .null), ("rtt_us", roundTrip?.json ?? .null),
        ]
    }

    /// Parses a stored sample; nil: one of the two counts is missing or out of range.
    init?(_ json: JSONText) {
        guard let checks = json["checks"]?.whole(in: Self.counts),
            let unanswered = json["unanswered"]?.whole(in: Self.counts)
        else { return nil }
        self.init(
            checks: Int(checks), unanswered: Int(unanswered),
            signal: json["signal_dbm"].flatMap { Spread($0, within: Self.dBm) },
            roundTrip: json["rtt_us"].flatMap { Spread($0, within: Self.microseconds) })
    }
}

extension HistorySample.Spread {
    fileprivate var json: JSONText { .array([.integer(least), .integer(median), .integer(most)]) }

    fileprivate init?(_ json: JSONText, within range: ClosedRange<Int64>) {
        let numbers = json.elements.compactMap { $0.whole(in: range) }
        guard numbers.count == 3, json.elements.count == 3 else { return nil }
        self.init(least: numbers[0], median: numbers[1], most: numbers[2])
    }
}

/// Collects numbers for their minimum, maximum and approximate median, in bounded memory: when it has too
/// many, it drops every second one, and from then on keeps only half as many of those that follow.
struct Downsampler {
    private static let most = 128

    private var kept: [Int64] = []
    private var least: Int64 = .max
    private var greatest: Int64 = .min
    /// One of this many numbers is kept.
    private var stride = 1
    private var count = 0

    mutating func add(_ number: Int64) {
        least = min(least, number)
        greatest = max(greatest, number)
        defer { count += 1 }
        guard count % stride == 0 else { return }
        if kept.count == Self.most {
            kept = kept.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
            stride *= 2
            guard count % stride == 0 else { return }
        }
        kept.append(number)
    }

    /// The spread of the numbers; nil: there were none.
    var spread: HistorySample.Spread? {
        guard !kept.isEmpty else { return nil }
        // If the count is even, use the lower of the two middle values, as ``Quality/roundTrip`` does.
        let median = kept.sorted()[(kept.count - 1) / 2]
        return HistorySample.Spread(least: least, median: median, most: greatest)
    }
}

/// The checks of the current quarter of an hour.
struct SampleWindow {
    static let length: Int64 = 15 * 60 * 1000

    private var begin: Int64
    private var checks = 0
    private var unanswered = 0
    private var signal = Downsampler()
    private var roundTrip = Downsampler()

    /// - Parameter begin: the start of the window in milliseconds since boot.
    init(begin: Int64) { self.begin = begin }

    mutating func take(_ verdict: Verdict) {
        checks += 1
        for evidence in verdict.evidence {
            switch evidence {
            case .association(let association):
                if let dBm = association?.station.signal { signal.add(Int64(dBm)) }
            case .probe(let question, _) where !question.crossesLink: break
            case .probe(_, .answered(let duration, _)), .probe(_, .refuted(_, let duration, _)):
                roundTrip.add(max(0, duration.nanoseconds / 1000))
            case .probe(_, .unanswered): unanswered += 1
            case .probe(_, .neverAnswered), .probe(_, .unknown): break
            case .radio, .administrative, .operational, .port, .addresses, .gateways, .traffic, .liveness,
                .owner, .radioCondition:
                break
            }
        }
    }

    /// When the quarter of an hour is over, in milliseconds since boot.
    var end: Int64 { begin + Self.length }

    /// Whether a quarter of an hour is over.
    func isOver(at now: Int64) -> Bool { now >= end }

    /// Returns the measurements and begins the next window; nil: there was no check.
    mutating func close(at now: Int64) -> HistorySample? {
        defer { self = SampleWindow(begin: now) }
        guard checks > 0 else { return nil }
        return HistorySample(
            checks: checks, unanswered: unanswered, signal: signal.spread, roundTrip: roundTrip.spread)
    }
}
