import Model
import Toggling

/// The history of one interface, as it is shown: what belongs together is put together. All moments are
/// milliseconds since 1970, by the clock as it stood at the end of their boot.
public struct Timeline: Sendable {
    /// A time in which the link was sick.
    struct Outage: Sendable {
        enum End: Sendable {
            /// It was healthy after something that was done.
            case action(HistoryAction)
            /// A check found it healthy.
            case found
            /// The interface went away.
            case vanished
            /// It was not judged any more, for this reason.
            case unjudged(String)
        }

        /// The first look that found it.
        var begin: Int64
        /// nil: it was not over when the link was looked at last.
        var end: Int64?
        /// Until its end, or until the last check.
        var duration: Duration
        /// The clock on the wall had no part in the duration.
        var isExact: Bool
        var finding: HistoryFinding
        var how: End?
        var actions = 0
    }

    struct Bounce: Sendable {
        var at: Int64
        var action: HistoryAction
        var witness: HistoryEntry.Witness
    }

    /// How the link was for a while.
    struct Span: Equatable, Sendable {
        enum State: String, CaseIterable {
            case healthy, sick
            /// Watched, and nothing settled.
            case undetermined
            case absent, asleep
        }

        var begin: Int64
        var end: Int64
        var state: State
    }

    struct Sample: Sendable {
        var at: Int64
        var sample: HistorySample
    }

    public let interface: String
    var outages: [Outage] = []
    var actions: [Bounce] = []
    /// In their order; between them nobody looked.
    var durations: [Span] = []
    var samples: [Sample] = []
    /// When anything was told last; nil: never.
    var last: Int64?

    /// - Parameter entries: of this interface, in the order in which they were written.
    public init(of interface: String, _ entries: [HistoryEntry]) {
        self.init(of: interface)
        var reader = TimelineBuilder()
        for entry in entries { reader.hear(of: entry.at) }
        for entry in entries { reader.take(entry, into: &self) }
        reader.end(into: &self)
    }

    /// Empty ones, for ``TimelineBuilder``.
    init(of interface: String) { self.interface = interface }

    /// What was not over before a moment.
    public func since(_ instant: Int64) -> Timeline {
        var timeline = self
        timeline.outages = outages.filter { $0.end ?? .max >= instant }
        timeline.actions = actions.filter { $0.at >= instant }
        timeline.samples = samples.filter { $0.at >= instant }
        timeline.durations = durations.filter { $0.end > instant }.map {
            Span(begin: max($0.begin, instant), end: $0.end, state: $0.state)
        }
        return timeline
    }
}

extension Timeline.Outage {
    /// A clause whose subject is the outage.
    var ending: String {
        switch how {
        case nil: "not over when the link was looked at last"
        case .action(let action): "over: \(action.headline)"
        case .found: "over: found healthy"
        case .vanished: "over: the interface went away"
        case .unjudged(let reason): "over: \(reason)"
        }
    }

    /// The value of the key `ended_by`; nil: it is not over.
    var endedBy: String? {
        switch how {
        case nil: nil
        case .action(let action): action.action
        case .found: "found healthy"
        case .vanished: "vanished"
        case .unjudged: "not judged"
        }
    }
}
