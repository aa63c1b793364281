import Model
import Toggling

/// What a person has the service do about one interface, and waits for.
public struct ControlRequest {
    public enum Wish {
        /// A bounce now; nil: the link is held down for as long as the service's settings say.
        case toggle(delay: Duration?)
        /// A check now, and a bounce if the link is sick.
        case reconnect
    }

    public var wish: Wish
    public var interface: String
    /// Each step is told as it comes.
    public var wantsSteps: Bool

    /// The command that asks for it, for people.
    public var word: String {
        switch wish {
        case .toggle: "toggle"
        case .reconnect: "reconnect"
        }
    }

    /// Whether a cycle that has ended is what was waited for. A verdict that waits for others like it is not.
    public func isDone(by cycle: CycleReport) -> Bool {
        switch wish {
        case .toggle: true
        case .reconnect: cycle.next?.why != .recheck
        }
    }

    /// How it has ended with this cycle. A bounce that was asked for and did not take place is no success,
    /// however the link is.
    public func outcome(of cycle: CycleReport) -> RunOutcome {
        switch (wish, cycle.action) {
        case (.toggle, .none), (.toggle, .held), (.toggle, .skipped): .unknown
        case (.toggle, .bounced), (.toggle, .raised), (.toggle, .failed), (.toggle, .refused),
            (.reconnect, _):
            cycle.outcome
        }
    }
}

/// The lines of a request, as the command tells them that does it itself.
public struct ControlRequestFormatter {
    private var formatter = LogFormatter(verbosity: .verbose)

    /// - Parameter settings: what is wanted of the interface, for the reasoning.
    public init(settings: Settings) { formatter.settings = settings }

    public mutating func lines(for report: Report, interface: String, at now: Instant) -> [Line] {
        formatter.lines(for: report, interface: interface, at: now)
    }
}

extension CycleReport {
    /// As the last one of a command that ends with it.
    public var last: CycleReport {
        var last = self
        last.next = nil
        return last
    }
}
