/// What the control socket needs from the service: closures that answer at once. A name passed to them may be
/// that of no interface.
public struct ControlService {
    /// The result of a hold.
    public enum HoldAnswer {
        case done
        case notWatched
        /// Why the hold could not be written.
        case notWritten(String)
    }

    /// The program's version.
    public var version: String
    /// The state of one interface, or of all; nil: it is not watched.
    public var status: (String?) -> [JSONText]?
    /// The last event of each interface, and the events whose state still lasts.
    public var lastEvents: () -> [JSONText]
    /// All metrics (``MetricsPage``).
    public var metrics: () -> String
    public var history: HistoryArchive
    /// Whether an interface with this name exists and is watched.
    public var watches: (String) -> Bool
    /// Starts a cycle on one interface, or on all.
    /// - Returns: whether it is watched.
    public var cycle: (String?) -> Bool
    /// Holds one interface, or all, for this long; zero releases.
    public var hold: (String?, Duration) -> HoldAnswer

    public init(
        version: String, status: @escaping (String?) -> [JSONText]?,
        lastEvents: @escaping () -> [JSONText], metrics: @escaping () -> String,
        history: HistoryArchive, watches: @escaping (String) -> Bool,
        cycle: @escaping (String?) -> Bool,
        hold: @escaping (String?, Duration) -> HoldAnswer
    ) {
        self.version = version
        self.status = status
        self.lastEvents = lastEvents
        self.metrics = metrics
        self.history = history
        self.watches = watches
        self.cycle = cycle
        self.hold = hold
    }
}
