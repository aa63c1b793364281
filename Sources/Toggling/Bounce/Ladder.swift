import Model

/// How far the case of one sick link has come: the method at hand, those that are left, and what those before it
/// have come to. A method that is not there or was refused leaves no mark.
struct Ladder: Hashable, Sendable {
    let method: Method
    let rest: [Method]
    /// Carried out, and not enough.
    let done: [Method]
    /// How long the link was down in them.
    let down: Duration
    let restoration: Restoration
    /// What they have left behind.
    let verdict: Verdict?
    /// Why the last one that was passed over was not carried out.
    let methodFailure: MethodFailure?
    /// Nobody has put it back yet.
    let leftover: Snapshot
    /// It counts as a bounce of the back-off and the budget already: the whole ladder is one.
    let isSpent: Bool

    /// - Parameter methods: the gentlest first, at least one.
    /// - Parameter leftover: of an earlier case.
    init(_ methods: [Method], leftover: Snapshot = Snapshot()) {
        method = methods.first ?? .bounce
        rest = Array(methods.dropFirst())
        done = []
        down = .zero
        restoration = Restoration()
        verdict = nil
        methodFailure = nil
        self.leftover = leftover
        isSpent = false
    }

    private init(
        method: Method, rest: [Method], done: [Method], down: Duration, restoration: Restoration,
        verdict: Verdict?, methodFailure: MethodFailure?, leftover: Snapshot, isSpent: Bool
    ) {
        self.isSpent = isSpent
        self.method = method
        self.rest = rest
        self.done = done
        self.down = down
        self.restoration = restoration
        self.verdict = verdict
        self.methodFailure = methodFailure
        self.leftover = leftover
    }

    /// The next method; nil: this was the last.
    var next: Method? { rest.first }

    /// The next step, after a bounce on this one.
    func escalated(after bounce: Bounce) -> Ladder? {
        guard let next = rest.first else { return nil }
        return Ladder(
            method: next, rest: Array(rest.dropFirst()), done: bounce.methods, down: bounce.down,
            restoration: bounce.losses, verdict: bounce.verdict ?? verdict,
            methodFailure: bounce.methodFailure ?? methodFailure,
            leftover: bounce.isCarriedOut ? bounce.snapshot.rest(after: bounce.restoration) : leftover,
            isSpent: bounce.isSpent)
    }
}

/// What a method failed at.
struct MethodFailure: Hashable, Sendable {
    let step: BounceStep
    let failure: Failure
}

/// A bounce and the steps before it, taken together.
extension Bounce {
    var method: Method { ladder.method }

    /// Whether it was done, to whatever end.
    var isCarriedOut: Bool { raisedAt != nil }

    /// As if it had not been done.
    func failed(_ step: BounceStep, _ failure: Failure) -> Bounce {
        var other = self
        other.raisedAt = nil
        other.methodFailure = MethodFailure(step: step, failure: failure)
        return other
    }

    /// Whether anything was done for this case that must not be done again at once.
    var isBegun: Bool { isSpent || !methods.isEmpty }

    /// All that were carried out.
    var methods: [Method] { ladder.done + (isCarriedOut ? [method] : []) }

    var down: Duration {
        guard let raisedAt, let loweredAt else { return ladder.down }
        return ladder.down + (raisedAt - loweredAt)
    }

    var losses: Restoration {
        guard isCarriedOut else { return ladder.restoration }
        var all = ladder.restoration
        all.add(restoration)
        return all
    }

    /// The same case with the next method; nil: there is none.
    func escalated(at now: Instant) -> Bounce? {
        ladder.escalated(after: self).map { Bounce(call, before: before, $0, at: now) }
    }
}
