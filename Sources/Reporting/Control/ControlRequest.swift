import Model
import Toggling

/// A user's request through the control socket to act on one interface.
public struct ControlRequest {
    /// What the user requests.
    public enum Kind {
        /// A bounce now. `delay` is how long the link is kept down; nil: as set in the service's settings.
        case toggle(delay: Duration?)
        /// A check now, and a bounce if the link is sick.
        case reconnect
    }

    public var kind: Kind
    public var interface: String
    /// Whether each step is reported when it happens.
    public var wantsSteps: Bool
    /// Whether the client waits for the end of the request.
    public var wantsReply = true

    /// The name of the command, for people.
    public var word: String {
        switch kind {
        case .toggle: "toggle"
        case .reconnect: "reconnect"
        }
    }

    /// Whether this cycle ends the request. `reconnect` goes on if the verdict must be confirmed first.
    public func isDone(by cycle: CycleReport) -> Bool {
        switch kind {
        case .toggle: true
        case .reconnect: cycle.next?.why != .recheck
        }
    }

    /// The outcome of the request after this cycle. A requested bounce that did not take place is not a
    /// success, whatever the state of the link.
    public func outcome(of cycle: CycleReport) -> RunOutcome {
        switch (kind, cycle.action) {
        case (.toggle, .none), (.toggle, .held), (.toggle, .skipped): .unknown
        case (.toggle, .bounced), (.toggle, .raised), (.toggle, .failed), (.toggle, .refused),
            (.reconnect, _):
            cycle.outcome
        }
    }
}
