import Toggling

/// A user's request to act on one interface, whose result the client awaits.
public struct ControlRequest {
    public enum Kind {
        /// A bounce now; nil: with the delay of the service's settings.
        case toggle(delay: Duration?)
        /// A check now, and a bounce if the link is sick.
        case reconnect
    }

    public var kind: Kind
    public var interface: String
    /// Whether each step is reported when it happens.
    public var wantsSteps: Bool
    /// Whether the client waits for the end.
    public var wantsReply = true

    /// The command that asks for it, for people.
    public var word: String {
        switch kind {
        case .toggle: "toggle"
        case .reconnect: "reconnect"
        }
    }

    /// Whether this cycle is the awaited one. A verdict that must be confirmed by further ones is not.
    public func isDone(by cycle: CycleReport) -> Bool {
        switch kind {
        case .toggle: true
        case .reconnect: cycle.next?.why != .recheck
        }
    }

    /// The outcome after this cycle. A requested bounce that did not take place is no success, whatever the
    /// state of the link.
    public func outcome(of cycle: CycleReport) -> RunOutcome {
        switch (kind, cycle.action) {
        case (.toggle, .none), (.toggle, .held), (.toggle, .skipped): .unknown
        case (.toggle, .bounced), (.toggle, .raised), (.toggle, .failed), (.toggle, .refused),
            (.reconnect, _):
            cycle.outcome
        }
    }
}
