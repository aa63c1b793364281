@testable import Model
@testable import Toggling

extension Referee {
    /// The items that the toggler may put back: those that a bounce, an rfkill block, a crash or the loss of
    /// the interface may have destroyed. Items are known by their descriptions.
    struct Losses: Hashable {
        /// Whether the toggler is the service, which alone follows blocks, crashes and absences.
        let isService: Bool
        /// What was destroyed before the current bounce, or by something else, and was not put back since.
        private var owed: Set<String> = []
        /// What the current bounce may have destroyed.
        private var costs: Set<String> = []
        /// What was put back in the current bounce, or since the last one.
        private var offered: Set<String> = []
        /// The items of `offered` that the kernel has refused.
        private var refused: Set<String> = []
        /// Whether the kernel has refused an item in the current bounce.
        private(set) var isLacking = false
        /// Whether a method of the toggler, or a crash of the device in it, may have removed the interface.
        private(set) var isOurs = false
        private(set) var isBouncing = false
        /// The link's items at the last baseline. Empty if an item has disappeared since, or the link was down.
        private var baseline: Set<String> = []
        /// Whether the toggler has requested a baseline, and no change was announced since.
        private var isBaselineCurrent = false
        /// Whether the link is administratively up; nil: not known.
        private var isUp: Bool?
        /// The last baseline when the link went down, and when that was.
        private var atDown: Set<String> = []
        private var atDownSince: Instant?
        private var wentDown: Instant?
        private var isBlocked = false
        private var wasBlocked: Instant?
        /// Whether a block took the link down, and it is not known to have been up since.
        private(set) var isTakenDown = false

        init(isService: Bool) { self.isService = isService }

        /// Without times, to compare worlds.
        var timeless: Losses {
            var other = self
            other.atDownSince = atDownSince.map { _ in .boot }
            other.wentDown = wentDown.map { _ in .boot }
            other.wasBlocked = wasBlocked.map { _ in .boot }
            return other
        }

        // MARK: The toggler's input

        mutating func note(_ event: Event, at now: Instant) {
            if isService { follow(event, at: now) }
            switch event {
            case .snapshotTaken(let snapshot): costs.formUnion(snapshot.items.map(\.description))
            case .restored(let restoration):
                refused = refused.subtracting(offered).union(restoration.refused.map(\.description))
                isLacking = isBouncing && (isLacking || !restoration.refused.isEmpty)
                if !isBouncing { offeringEnds() }
            default: break
            }
        }

        private mutating func follow(_ event: Event, at now: Instant) {
            switch event {
            case .linkChanged(let link): note(isUp: link.isUp, at: now)
            case .radioChanged(let block): note(block, at: now)
            case .linkAppeared, .monitorOverran: isUp = nil
            case .linkRemoved: (isUp, isBlocked, isTakenDown) = (nil, false, false)
            // If something changed after the request, or there was no request, the answer is ignored, and the
            // older baseline stays.
            case .baselineTaken(let snapshot) where isBaselineCurrent:
                baseline = Set((snapshot?.items ?? []).map(\.description))
            default: break
            }
            switch event {
            case .addressingLost, .monitorOverran: (baseline, isBaselineCurrent) = ([], false)
            case .baselineTaken, .addressingChanged: isBaselineCurrent = false
            default: break
            }
        }

        mutating func note(_ kernelState: KernelState, at now: Instant) {
            guard isService else { return }
            note(kernelState.radio, at: now)
            note(isUp: kernelState.link.isUp, at: now)
            // A crash may be known only one check after the link has gone down.
            if kernelState.radioCondition == .closed, isRecent(atDownSince, at: now, plus: Toggler.ownersDown)
            {
                owed.formUnion(atDown)
            }
        }

        private mutating func note(isUp: Bool, at now: Instant) {
            if isUp { isTakenDown = false } else { isBaselineCurrent = false }
            let wasDown = self.isUp == false
            self.isUp = isUp
            guard !isUp, !wasDown else { return }
            wentDown = now
            // If the link goes down again soon, nothing was recorded in between.
            if !baseline.isEmpty { (atDown, atDownSince, baseline) = (baseline, now, []) }
            concludeBlock(at: now)
        }

        private mutating func note(_ block: RadioBlock, at now: Instant) {
            let wasAlready = isBlocked
            isBlocked = block != .none
            guard isBlocked, !wasAlready else { return }
            wasBlocked = now
            concludeBlock(at: now)
        }

        private mutating func concludeBlock(at now: Instant) {
            guard isRecent(wentDown, at: now), isRecent(wasBlocked, at: now) else { return }
            isTakenDown = isUp == false
            if isRecent(atDownSince, at: now) { owed.formUnion(atDown) }
        }

        private func isRecent(_ then: Instant?, at now: Instant, plus more: Duration = .zero) -> Bool {
            then.map { now - $0 <= RadioBlock.reach + more } ?? false
        }

        // MARK: The toggler's orders

        mutating func bounceBegins() {
            (isBouncing, isLacking) = (true, false)
            (costs, offered, refused) = ([], [], [])
        }

        /// From now on the toggler causes the changes of the link.
        mutating func bounceActs() { baseline = [] }

        mutating func baselineOrdered() { isBaselineCurrent = true }

        /// Whether all these items may be put back now.
        /// - Parameter isCompared: whether the toggler only compares them with the link.
        mutating func judge(_ snapshot: Snapshot, isCompared: Bool) -> Bool {
            let items = Set(snapshot.items.map(\.description))
            if !isCompared { offered.formUnion(items) }
            return items.isSubset(of: owed.union(costs))
        }

        /// - Parameter isBounced: whether a method was carried out. If not, what was owed before is owed
        ///   still: it may only have been compared.
        mutating func cycleEnds(isBounced: Bool) {
            if isBouncing, !isBounced { offered = [] }
            if isBouncing { offeringEnds() }
            (costs, isBouncing, isLacking) = ([], false, false)
        }

        private mutating func offeringEnds() {
            owed = owed.subtracting(offered).union(refused)
            (offered, refused) = ([], [])
        }

        /// The items of a lost interface are put back if its device gives the interface back.
        mutating func disappeared(at now: Instant, isOurs: Bool) {
            self.isOurs = isOurs
            owed.formUnion(baseline.union(costs).union(isRecent(atDownSince, at: now) ? atDown : []))
            (costs, offered, refused, baseline, isBouncing) = ([], [], [], [], false)
            (isUp, isBlocked, isTakenDown) = (nil, false, false)
        }

        /// What the toggler's own method has cost is put back also later.
        mutating func appeared() { (owed, atDown) = (isOurs ? owed : [], []) }
    }
}
