import Model

/// The progress of the ladder for one sick link: the current method, the remaining ones, and the results of
/// those before. A method that is unavailable or was refused is not recorded.
struct Ladder: Hashable, Sendable {
    let method: Method
    let rest: [Method]
    /// The methods that were carried out and did not suffice.
    let done: [Method]
    /// How long they kept the link down in total.
    let down: Duration
    let restoration: Restoration
    /// The verdict after the last of them.
    let verdict: Verdict?
    /// Why the last method that was passed over was not carried out.
    let methodFailure: MethodFailure?
    /// What they destroyed and nobody has restored yet.
    let leftover: Snapshot
    /// The ladder is counted in the back-off and the budget already. A whole ladder counts as one bounce.
    let isSpent: Bool

    /// - Parameters:
    ///   - methods: the gentlest first, at least one.
    ///   - leftover: what an earlier case left to restore.
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

    /// The next method; nil: this is the last one.
    var next: Method? { rest.first }

    /// The ladder for the next method, after a bounce with this one.
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

/// The step at which a method failed, and the error.
struct MethodFailure: Hashable, Sendable {
    let step: BounceStep
    let failure: Failure
}

/// A bounce together with the earlier methods of its ladder.
extension Bounce {
    var method: Method { ladder.method }

    /// Whether the method was carried out, with any result.
    var isCarriedOut: Bool { raisedAt != nil }

    /// The bounce as if this method had not been carried out.
    func failed(_ step: BounceStep, _ failure: Failure) -> Bounce {
        var other = self
        other.raisedAt = nil
        other.methodFailure = MethodFailure(step: step, failure: failure)
        return other
    }

    /// Whether this case has begun to act, so that it must not start again at once.
    var isBegun: Bool { isSpent || !methods.isEmpty }

    /// All methods that were carried out.
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
