/// What the control socket needs from the service, as closures that answer at once. The closures must accept
/// names of interfaces that do not exist.
public struct ControlService {
    /// The result of setting or releasing a hold.
    public enum HoldAnswer {
        case done
        case notWatched
        /// The hold could not be written, for this reason.
        case notWritten(String)
    }

    /// The version of the program.
    public var version: String
    /// Returns the object of the named interface, or of all if no name is given. The result is nil if the
    /// named interface is not watched.
    public var status: (String?) -> [JSONText]?
    /// The end of the last check of each interface, and the events whose state still lasts.
    public var lastEvents: () -> [JSONText]
    /// The text of all metrics (``MetricsPage``).
    public var metrics: () -> String
    public var history: HistoryArchive
    /// Whether an interface with this name exists and is watched.
    public var watches: (String) -> Bool
    /// Starts a cycle on the named interface, or on all if no name is given.
    /// - Returns: whether the named interface is watched; true if no name is given.
    public var cycle: (String?) -> Bool
    /// Holds the named interface, or all if no name is given, for this long; zero releases the hold.
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
