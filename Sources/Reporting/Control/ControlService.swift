import Model
import Toggling

/// What stands behind the control socket: closures that answer at once. A name that they are given may be
/// none of an interface.
public struct ControlService {
    /// How a hold ended.
    public enum HoldAnswer {
        case done
        case notWatched
        /// Why the word could not be written down.
        case notWritten(String)
    }

    /// The program's.
    public var version: String
    /// The state of one interface, or of all; nil: it is not watched.
    public var status: (String?) -> [JSONText]?
    /// The last event of each interface, and what has happened and still is so.
    public var lastEvents: () -> [JSONText]
    /// All metrics (``MetricsPage``).
    public var metrics: () -> String
    public var history: HistoryArchive
    /// Whether an interface of this name is there and watched.
    public var watches: (String) -> Bool
    /// Begins a cycle on one interface, or on all.
    /// - Returns: whether it is watched.
    public var cycle: (String?) -> Bool
    /// Holds one interface, or all, for so long; zero releases.
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
