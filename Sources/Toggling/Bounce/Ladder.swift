import Model

/// The progress of the ladder for one bounce: the current method, the remaining ones, and the results of the
/// earlier ones. Methods that were unavailable or refused are not among the results.
struct Ladder: Hashable, Sendable {
    /// The methods so far, including those that were passed over; the last one is the current one.
    fileprivate(set) var tried: [Method]
    fileprivate(set) var rest: [Method]
    /// The methods that were carried out and did not suffice.
    fileprivate(set) var done: [Method] = []
    /// `tried` and `rest` before `Bounce.goingOn(with:at:)`.
    fileprivate var triedBefore: [Method] = [], restBefore: [Method] = []
    /// How long the methods in `done` kept the link down in total.
    fileprivate(set) var down: Duration = .zero
    fileprivate(set) var restoration = Restoration()
    /// The verdict after the last method in `done`.
    fileprivate(set) var verdict: Verdict?
    /// Why the last method that was passed over was not carried out; nil: none was passed over.
    fileprivate(set) var methodFailure: MethodFailure?
    /// What the methods so far, an earlier bounce or an rfkill block destroyed and nothing has restored yet.
    var leftover: Snapshot
    /// Whether something was left to restore when the ladder began.
    let hadLeftover: Bool
    /// Whether this ladder was already counted, as one bounce, in the back-off and the budget.
    var isSpent = false

    /// - Parameters:
    ///   - methods: the methods to try, the gentlest first, at least one.
    ///   - leftover: what an earlier bounce or block left to restore.
    init(_ methods: [Method], leftover: Snapshot = Snapshot()) {
        tried = [methods.first ?? .bounce]
        rest = Array(methods.dropFirst())
        self.leftover = leftover
        hadLeftover = !leftover.items.isEmpty
    }

    var method: Method { tried[tried.endIndex - 1] }
}

/// The step at which a method failed, and the error.
struct MethodFailure: Hashable, Sendable {
    let step: BounceStep
    let failure: Failure
}

/// A bounce together with the earlier methods of its ladder.
extension Bounce {
    var method: Method { ladder.method }

    /// The bounce with its current method marked as not carried out, because this step failed.
    consuming func failed(_ step: BounceStep, _ failure: Failure) -> Bounce {
        (raisedAt, methodFailure) = (nil, MethodFailure(step: step, failure: failure))
        return self
    }

    /// Whether this ladder has begun to act, so that it must not start again at once.
    var isBegun: Bool { ladder.isSpent || !methods.isEmpty }

    /// All methods of the ladder that were carried out, in order.
    var methods: [Method] { ladder.done + (raisedAt == nil ? [] : [method]) }

    /// The methods that were in vain if this bounce does not help. Methods that were passed over count if the
    /// user named the methods, but not if the evidence chose them: they may help the next time.
    func inVain(under settings: Settings) -> [Method] { settings.methods.isEmpty ? methods : ladder.tried }

    /// The last verdict after a method; nil: there is none.
    var lastVerdict: Verdict? { verdict ?? ladder.verdict }

    /// Why the last method that was passed over was not carried out.
    var lastFailure: MethodFailure? { methodFailure ?? ladder.methodFailure }

    var down: Duration { ladder.down + downOfMethod }

    var losses: Restoration {
        // A method that was passed over says nothing about items that were refused before.
        guard mayHaveLost else { return ladder.restoration }
        var all = ladder.restoration
        all.add(restoration)
        return all
    }

    /// The bounce with the next method, of those that are still called for; nil: there is none. After a bounce,
    /// the ladder also takes gentler methods that are called for only now: the owner may have given up in it.
    /// - Parameter due: the methods that are called for.
    func escalated(by due: [Method]) -> Bounce? {
        var ladder = ladder
        let added = method == .bounce ? due.filter { $0 < .bounce && !ladder.tried.contains($0) } : []
        ladder.rest = added + ladder.rest.filter { due.contains($0) && !added.contains($0) }
        if ladder.rest.isEmpty { return nil }
        ladder.tried.append(ladder.rest.removeFirst())
        ladder.done = methods
        ladder.down = down
        ladder.restoration = losses
        ladder.verdict = lastVerdict
        ladder.methodFailure = lastFailure
        if mayHaveLost { ladder.leftover = snapshot.rest(after: restoration) }
        return Bounce(cause, before: before, ladder)
    }

    /// The bounce that goes on with this method, because the present one cannot raise the link.
    consuming func goingOn(with method: Method, at now: Instant) -> Bounce {
        (ladder.triedBefore, ladder.restBefore) = (ladder.tried, ladder.rest)
        ladder.done.append(self.method)
        // Gentler methods are passed over.
        ladder.tried += ladder.rest.filter { $0 < method } + [method]
        ladder.rest.removeAll { $0 <= method }
        // A link that cannot be raised was lowered, even if the lowering reported an error.
        methodFailure = nil
        lowered(at: now)
        return self
    }

    /// Goes back from the method of `goingOn(with:at:)`, which was not carried out, to the one before it.
    mutating func goBack() {
        (ladder.tried, ladder.rest) = (ladder.triedBefore, ladder.restBefore)
        ladder.done.removeLast()
    }

    /// Whether the link may have lost something by this method: also if lowering it failed.
    private var mayHaveLost: Bool { raisedAt != nil || !restoration.lost.isEmpty }
}
