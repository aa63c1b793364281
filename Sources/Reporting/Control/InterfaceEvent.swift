import Model
import Toggling

/// An event of an interface that is not the end of a check: what clients that monitor are told between two
/// checks.
public struct InterfaceEvent: Hashable, Sendable {
    /// The raw value is its name; hooks use the same name for the same event.
    public enum Kind: String, CaseIterable, Sendable {
        /// The service begins to watch the interface.
        case started
        case renamed
        case absent, appeared
        /// A bounce, or another method, begins.
        case bounceBegun = "bounce-begun"
        /// An administrator holds the interface, or changes the hold.
        case holdSet = "hold-set"
        /// The hold has ended.
        case holdOver = "hold-over"
    }

    public let kind: Kind
    /// What happened, or why, without the interface's name.
    public let reason: String
    private var verdict: Verdict?
    private var method: Method?

    private init(_ kind: Kind, _ reason: String) {
        self.kind = kind
        self.reason = reason
    }

    /// - Returns: nil: it is the end of a check, or a step of a bounce that has begun.
    public init?(_ report: Report) {
        switch report {
        case .watching(let settings, _): self.init(.started, LogFormatter.watching(settings).text)
        case .step(.beginning(let first, let cause)):
            self.init(.bounceBegun, cause?.reason.sentence ?? InterfaceStatus.Cause.asked.sentence)
            (verdict, method) = (cause, first)
        case .step(.raisingAfterBlock): self.init(.bounceBegun, InterfaceStatus.Cause.block.sentence)
        case .step(.absent): self.init(.absent, LogFormatter.absent)
        case .step(.appeared(let link)): self.init(.appeared, LogFormatter.appeared(link))
        case .step(.escalating), .step(.passedOver), .step(.lowered), .step(.raisedByOther),
            .step(.guardLost), .step(.raised), .step(.loweredByOther), .step(.operational),
            .step(.scanAborted), .step(.ownerOverdue), .step(.restoredLate), .step(.raiseFailed),
            .step(.finishing), .cycle:
            return nil
        }
    }

    /// - Parameter name: the new one.
    public static func renamed(to name: String) -> InterfaceEvent {
        InterfaceEvent(.renamed, "is called \(name) now")
    }

    /// - Parameters:
    ///   - administrativeHold: the hold from now on.
    ///   - before: the hold until now, a different one.
    static func held(
        _ administrativeHold: AdministrativeHold?, after before: AdministrativeHold?, at now: Instant
    ) -> InterfaceEvent {
        switch (administrativeHold, before) {
        case (.until(let end)?, _):
            InterfaceEvent(.holdSet, "no bounce for another \((end - now).inWholeSeconds.text), \(exception)")
        case (.untilReleased?, _):
            InterfaceEvent(.holdSet, "no bounce until 'wifi-toggler hold 0' releases it, \(exception)")
        case (nil, .until(let end)?) where end <= now:
            InterfaceEvent(.holdOver, "the time of the hold is over: it may be bounced again")
        case (nil, _): InterfaceEvent(.holdOver, "released: it may be bounced again")
        }
    }

    private static let exception = "but one that is asked for"

    /// Its name in the log; nil: a report is logged instead.
    public var interfaceRef: MessageID? {
        switch kind {
        case .started, .absent, .appeared, .bounceBegun: nil
        case .renamed: .renamed
        case .holdSet: .holdSet
        case .holdOver: .holdOver
        }
    }

    /// The keys of a cycle, preceded by the event.
    /// - Parameter time: when it happened, as RFC 3339 text.
    public func json(interface: String, time: String) -> JSONText {
        .object([("event", .string(kind.rawValue))] + members(interface: interface, time: time))
    }

    /// The keys of a cycle alone.
    func members(interface: String, time: String) -> [(String, JSONText)] {
        CycleJSON.members(
            interface: interface, time: time, verdict: verdict, method: method, reason: reason)
    }
}

extension Duration {
    /// The next whole second: a duration that was just written down is still the intended one.
    fileprivate var inWholeSeconds: Duration {
        let (seconds, rest) = components
        return .seconds(rest > 0 ? seconds + 1 : seconds)
    }
}
