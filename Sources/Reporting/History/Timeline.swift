import Toggling

/// The history of one interface, with related entries combined. All times are milliseconds since 1970: the
/// time since boot, plus the beginning of that boot by the wall clock at the boot's last entry.
public struct Timeline: Sendable {
    /// A period in which the link was sick.
    struct Outage: Sendable {
        enum End: Sendable {
            /// The link was healthy after this action.
            case action(RecordedAction)
            /// A check found the link healthy.
            case found
            /// The interface disappeared.
            case vanished
            /// The health became undetermined, for this reason.
            case unjudged(String)
        }

        /// The time of the first sick check.
        var begin: Int64
        /// The time of the end; nil: the outage had not ended at the last record.
        var end: Int64?
        /// The duration until the end, or until the last record.
        var duration: Duration
        /// Whether the duration is from the boot clock alone, and not from the wall clock.
        var isExact: Bool
        var finding: RecordedVerdict
        var how: End?
        var actions = 0
    }

    struct Bounce: Sendable {
        var at: Int64
        var action: RecordedAction
        var command: HistoryEntry.Command
    }

    /// What a dry run would have done. It is no action: nothing counts it.
    struct Withheld: Sendable {
        var at: Int64
        var cause: ActionCause
        var methods: [String]
        var command: HistoryEntry.Command
    }

    /// An event that becomes one JSON object or one row of the table.
    indirect enum Item {
        case outage(Outage)
        case action(Bounce)
        case withheld(Withheld)

        /// When the outage began, or when the action or the decision of a dry run was recorded, in
        /// milliseconds since 1970.
        var begin: Int64 {
            switch self {
            case .outage(let outage): outage.begin
            case .action(let action): action.at
            case .withheld(let withheld): withheld.at
            }
        }
    }

    /// The events in the order of ``Item/begin``. The sort is stable: an outage comes before the actions on
    /// it.
    var items: [Item] {
        (outages.map { .outage($0) } + actions.map { .action($0) } + withheld.map { .withheld($0) })
            .sorted { $0.begin < $1.begin }
    }

    /// A period in which the link had one state.
    struct Span: Equatable, Sendable {
        enum State: String, CaseIterable {
            case healthy, sick
            /// The link is watched, but its health is not established.
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
    var withheld: [Withheld] = []
    /// The spans in order. In the gaps between them the link was not watched.
    var spans: [Span] = []
    var samples: [Sample] = []
    /// The time of the last entry; nil: there is none.
    var last: Int64?

    /// Combines the entries of one interface.
    /// - Parameter entries: the entries of this interface, in the order in which they were written.
    public init(of interface: String, _ entries: [HistoryEntry]) {
        self.init(of: interface)
        var reader = TimelineBuilder()
        for entry in entries { reader.hear(of: entry.at) }
        for entry in entries { reader.take(entry, into: &self) }
        reader.end(into: &self)
    }

    /// An empty timeline, which ``TimelineBuilder`` fills.
    init(of interface: String) { self.interface = interface }

    /// The timeline without the events that ended before this time.
    public func since(_ instant: Int64) -> Timeline {
        var timeline = self
        timeline.outages = outages.filter { $0.end ?? .max >= instant }
        timeline.actions = actions.filter { $0.at >= instant }
        timeline.withheld = withheld.filter { $0.at >= instant }
        timeline.samples = samples.filter { $0.at >= instant }
        timeline.spans = spans.filter { $0.end > instant }.map {
            Span(begin: max($0.begin, instant), end: $0.end, state: $0.state)
        }
        return timeline
    }
}

extension Timeline {
    /// The duration of all outages together as text. If one is not over, it is a lower bound: `over 9m`.
    var outageTime: String {
        let isOver = outages.allSatisfy { $0.how != nil }
        return (isOver ? "" : "over ") + outages.reduce(Duration.zero) { $0 + $1.duration }.text
    }
}

extension Timeline.Outage {
    /// The duration as text. For an outage that is not over, it is a lower bound: `over 2m`.
    /// - Parameter doubt: the text before a duration that is not exact.
    func length(ifInexact doubt: String) -> String {
        (how == nil ? "over " : "") + (isExact ? "" : doubt) + duration.text
    }

    /// How the outage ended, as a clause.
    var ending: String { how == nil ? lasting : "over: \(ended)" }

    /// How the outage ended, for a table column that is about the end.
    var ended: String {
        switch how {
        case nil: lasting
        case .action(let action): "healthy again (\(action.headline))"
        case .found: "healthy again by itself"
        case .vanished: "the interface went away"
        case .unjudged(let reason): reason
        }
    }

    private var lasting: String { "not over at the last record" }

    /// The methods of the action that ended the outage, in order; the last one helped.
    var methods: [String] {
        if case .action(let action) = how { action.methods } else { [] }
    }

    /// The value of the key `ended_by`; nil: the outage has not ended.
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
