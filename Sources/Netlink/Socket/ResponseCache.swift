import Model
import Platform

/// What rtnetlink has answered a moment ago, for a one-shot: what was asked to see whether the link is sick is asked
/// again, word for word, to keep what a bounce loses, and between the two lie some microseconds.
///
/// Of one thread: a one-shot holds its conversations in the call, one after the other (``NetlinkCommands/Place``).
final class ResponseCache: @unchecked Sendable {
    private struct Entry {
        var request: Request
        var answer: [Message]
        var at: Instant
    }

    /// What is older is asked again. Less than passes anyway from a snapshot until the link is lowered, in which the guard
    /// comes to stand.
    static let lifetime: Duration = .milliseconds(5)

    private var entries: [Entry] = []

    func answer(to request: Request, at now: Instant) -> [Message]? {
        entries.first { $0.request == request && now - $0.at < Self.lifetime }?.answer
    }

    /// - Parameter asked: before it was asked.
    func keep(_ answer: [Message], to request: Request, at asked: Instant) {
        entries.removeAll { $0.request == request }
        entries.append(Entry(request: request, answer: answer, at: asked))
    }

    /// Something was ordered, or a change was told of.
    func forget() { entries = [] }
}

extension Conversation {
    func recentAnswer(to request: Request) -> [Message]? {
        mayReuse ? recent?.answer(to: request, at: now) : nil
    }

    var now: Instant { Instant(nanoseconds: BootClock.now()) }
}
