@testable import Model
@testable import Toggling

/// The events that a virtual world will report to its toggler, and the toggler's deadlines.
struct EventQueue {
    private(set) var deadlines: [Deadline: Instant] = [:]
    private var pending: [(at: Instant, event: Event)] = []

    /// When the next of them is due; nil: there is none.
    var nextInstant: Instant? {
        [pending.map(\.at).min(), deadlines.values.min()].compactMap(\.self).min()
    }

    mutating func add(_ event: Event, at instant: Instant) { pending.append((instant, event)) }

    /// Drops the events that will not come any more.
    mutating func removeAll(where isCancelled: (Event) -> Bool) {
        pending.removeAll { isCancelled($0.event) }
    }

    mutating func arm(_ deadline: Deadline, at instant: Instant) { deadlines[deadline] = instant }
    mutating func disarm(_ deadline: Deadline) { deadlines[deadline] = nil }

    /// The next event that is due, or the deadline that has come; an event comes before a deadline.
    mutating func takeDue(at now: Instant) -> Event? {
        if let position = pending.indices.min(by: { pending[$0].at < pending[$1].at }),
            pending[position].at <= now
        {
            return pending.remove(at: position).event
        }
        guard let (deadline, _) = deadlines.first(where: { $0.value <= now }) else { return nil }
        deadlines[deadline] = nil
        return .deadlineReached(deadline)
    }
}
