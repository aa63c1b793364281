@testable import Model
@testable import Toggling

extension Effect {
    /// The id of the probe that this effect starts.
    var probe: Int? {
        if case .startProbe(let request) = self { request.id } else { nil }
    }

    /// The number of the kernel state that this effect requests.
    var kernelState: Int? {
        if case .kernelState(let number, _) = self { number } else { nil }
    }

    var isGuardOrder: Bool {
        if case .armGuard = self { true } else { false }
    }

    var isDirectedScanPending: Bool {
        if case .directedScan = self { true } else { false }
    }

    var isPerforming: Bool {
        if case .perform = self { true } else { false }
    }

    var isRestoring: Bool {
        if case .restore = self { true } else { false }
    }
}

extension Event {
    /// Whether this is an answer to `Effect.perform`.
    var answersPerform: Bool {
        switch self {
        case .performed, .performingFailed: true
        default: false
        }
    }
}

extension TogglerState {
    /// Whether the toggler has finished, or was told to end and takes the shortest path there.
    var isEnding: Bool {
        switch self {
        case .finished: true
        case .bouncing(let bounce): bounce.isTerminating && bounce.step.isShortestWay
        case .idle, .absent, .waiting, .checking: false
        }
    }

    /// The ids of the probes whose answers are awaited.
    var outstanding: [Int] { check?.rounds.outstanding ?? [] }

    /// Whether an answer that leads out of this state is still to come, or such a deadline is set.
    func hasSomethingToWaitFor(open: [Effect], _ awaited: Set<Deadline>) -> Bool {
        switch self {
        case .finished, .absent: true
        case .idle: false
        case .waiting: awaited.contains(.nextCheck)
        case .checking(let check): check.hasSomethingToWaitFor(open, awaited)
        case .bouncing(let bounce): bounce.hasSomethingToWaitFor(open, awaited)
        }
    }

    /// Whether this state, or its bounce, uses this deadline.
    func wakes(for deadline: Deadline) -> Bool {
        switch self {
        case .idle: false
        case .absent: deadline == .nextCheck
        case .finished: true
        case .waiting: deadline == .nextCheck || deadline == .baseline
        // Before a bounce, the deadline of the baseline may still be set.
        case .checking: deadline == .probes || deadline == .baseline
        case .bouncing(let bounce): bounce.step.wakes(for: deadline)
        }
    }
}

extension HealthCheck {
    fileprivate func hasSomethingToWaitFor(_ open: [Effect], _ awaited: Set<Deadline>) -> Bool {
        open.contains { $0.kernelState == number } || awaited.contains(.probes)
    }
}

extension Bounce {
    fileprivate func hasSomethingToWaitFor(_ open: [Effect], _ awaited: Set<Deadline>) -> Bool {
        switch step {
        case .preparing: open.contains(.takeSnapshot)
        case .arming: open.contains(where: \.isGuardOrder) && awaited.contains(.retry)
        case .performing: open.contains(.perform(method))
        case .lowering: open.contains(.lowerLink(method))
        case .keepingDown: awaited.contains(.keepDown)
        case .raising(let attempts) where attempts.isInFlight: open.contains(.raiseLink(method))
        case .awaitingLink: awaited.contains(.retry) && awaited.contains(.settle)
        case .restoring, .awaitingOwner(compareAt: nil): open.contains(where: \.isRestoring)
        case .raising, .scanning, .awaitingOwner, .pausing: awaited.contains(.retry)
        case .verifying(let check): check.hasSomethingToWaitFor(open, awaited)
        case .comparing: open.contains(where: \.isRestoring) || awaited.contains(.retry)
        }
    }
}

extension Bounce.Step {
    /// Whether a bounce that was told to end may be in this step. It may still await the answer to an order
    /// to lower the link; otherwise such a bounce only raises the link and restores items.
    fileprivate var isShortestWay: Bool {
        switch self {
        case .lowering, .raising, .awaitingOwner, .restoring: true
        case .preparing, .scanning, .performing, .arming, .keepingDown, .awaitingLink, .verifying, .pausing,
            .comparing:
            false
        }
    }

    fileprivate func wakes(for deadline: Deadline) -> Bool {
        switch self {
        case .performing, .lowering: false
        case .preparing: deadline == .baseline
        case .scanning, .arming: deadline == .baseline || deadline == .retry
        case .keepingDown: deadline == .keepDown
        case .raising, .comparing: deadline == .retry
        case .awaitingLink, .awaitingOwner, .pausing: deadline == .retry || deadline == .settle
        case .restoring: deadline == .settle
        case .verifying: deadline == .probes || deadline == .settle
        }
    }
}

extension Duration {
    /// Rounded to the nearest second.
    var wholeSeconds: Int { Int((milliseconds / 1000).rounded()) }
}
