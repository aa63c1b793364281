import Model
import Toggling

/// What a toggler waits for at present, as text for a user at a terminal.
public struct Progress: Equatable, Sendable {
    /// The text, without the interface's name.
    public var what: String
    /// How long the wait can last from now on; nil: not known.
    public var most: Duration?

    public init(_ what: String, most: Duration?) {
        self.what = what
        self.most = most
    }

    /// The wait for the lock of an interface.
    public static func lock(within wait: Duration) -> Progress {
        Progress("waiting for another run to release its lock", most: wait)
    }

    /// The progress of a toggler in this state; nil: it waits for nothing.
    public init?(_ state: TogglerState, under settings: Settings, at now: Instant) {
        guard let what = Self.description(ofState: state.name) else { return nil }
        self.what = what
        most = state.end(under: settings).map { max(.zero, $0 - now) }
    }

    /// What a toggler waits for in the state of this name (`TogglerState.name`, as in JSON); nil: it waits
    /// for nothing, or there is no such state. States that alternate have the same text, so that the line
    /// does not flicker.
    public static func description(ofState name: String) -> String? {
        switch name {
        case "absent": "waiting for the interface to appear"
        case "waiting": "waiting for the next check"
        case "checking": "asking whether the link is healthy"
        case "preparing", "arming": "getting ready for the bounce"
        case "performing": "carrying out a method that leaves the link up"
        case "lowering": "waiting for the driver to lower the link"
        case "keeping down": "keeping the link down"
        case "raising": "waiting for the link to be raised"
        case "awaiting link": "waiting for the link to be operational"
        case "awaiting owner": "waiting for addresses and routes of its owner"
        case "restoring": "restoring what was lost"
        case "verifying", "pausing": "waiting for a good verdict"
        case "comparing": "waiting for what was lost to come back"
        default: nil
        }
    }
}

/// The line on the terminal about what is awaited. It is rewritten in place.
public struct ProgressLine {
    private let interface: String
    private var what = ""
    private var since: Instant
    private var until: Instant?

    /// - Parameter now: the start of the wait.
    public init(interface: String, _ progress: Progress, at now: Instant) {
        self.interface = interface
        since = now
        take(progress, at: now)
    }

    /// Takes the current progress. If its text is the same, the wait goes on and keeps its start.
    public mutating func take(_ progress: Progress, at now: Instant) {
        if progress.what != what { since = now }
        what = progress.what
        until = progress.most.map { now + $0 }
    }

    /// The line, such as `wlan0: keeping the link down, 1s of 3s`.
    public func text(at now: Instant) -> String {
        let passed = Self.whole(now - since)
        let whole = until.map { " of \(Self.whole($0 - since))" } ?? ""
        return "\(interface): \(what), \(passed)\(whole)"
    }

    /// The duration as text in whole seconds: the line changes only once a second.
    private static func whole(_ duration: Duration) -> String {
        Duration.seconds(max(0, Int64((duration.milliseconds / 1000).rounded()))).text
    }
}
