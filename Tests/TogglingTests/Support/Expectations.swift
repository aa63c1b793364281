@testable import Model
@testable import Toggling

extension Effect {
    /// The id of the probe that this starts.
    var probe: Int? {
        if case .startProbe(let request) = self { request.id } else { nil }
    }

    /// The number of the kernel state that this asks for.
    var kernelState: Int? {
        switch self {
        case .kernelState(let number, _):
            number
        default: nil
        }
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

extension TogglerState {
    /// Over, or on the shortest way there with the link in our hands.
    var isEnding: Bool {
        switch self {
        case .finished: true
        case .lowering(let bounce), .raising(let bounce), .awaitingOwner(let bounce),
            .restoring(let bounce):
            bounce.isTerminating
        case .idle, .absent, .waiting, .checking, .preparing, .performing, .arming, .keepingDown,
            .awaitingLink,
            .verifying, .pausing, .comparing:
            false
        }
    }

    /// The probes whose answers are waited for.
    var outstanding: [Int] {
        switch self {
        case .checking(let check), .verifying(_, let check): check.outstanding
        case .idle, .absent, .waiting, .preparing, .performing, .arming, .lowering, .keepingDown, .raising,
            .awaitingLink, .awaitingOwner, .restoring, .pausing, .comparing, .finished:
            []
        }
    }

    /// Whether an answer is on its way, or a deadline armed, that takes this state further.
    func hasSomethingToWaitFor(open: [Effect], _ awaited: Set<Deadline>) -> Bool {
        switch self {
        case .finished, .absent: true
        case .idle: false
        case .waiting: awaited.contains(.nextCheck)
        case .checking(let check), .verifying(_, let check):
            open.contains { $0.kernelState == check.number } || awaited.contains(.probes)
        case .preparing(let bounce):
            bounce.isDirectedScanPending ? awaited.contains(.retry) : open.contains(.takeSnapshot)
        case .arming: open.contains(where: \.isGuardOrder)
        case .performing(let bounce): open.contains(.perform(bounce.method))
        case .lowering(let bounce): open.contains(.lowerLink(bounce.method))
        case .keepingDown: awaited.contains(.keepDown)
        case .raising(let bounce):
            bounce.isRaiseInFlight ? open.contains(.raiseLink(bounce.method)) : awaited.contains(.retry)
        case .awaitingLink: awaited.contains(.retry) && awaited.contains(.settle)
        case .awaitingOwner(let bounce):
            bounce.isComparing ? open.contains(where: \.isRestoring) : awaited.contains(.retry)
        case .restoring: open.contains(where: \.isRestoring)
        case .pausing: awaited.contains(.retry)
        case .comparing: open.contains(where: \.isRestoring) || awaited.contains(.retry)
        }
    }

    /// Whether this state, or the bounce that it belongs to, has a use for a deadline.
    func wakes(for deadline: Deadline) -> Bool {
        switch self {
        case .idle, .absent, .performing, .lowering: false
        case .finished: true
        case .waiting: deadline == .nextCheck || deadline == .baseline
        // The link is left alone yet, and may be waited for again.
        case .checking: deadline == .probes || deadline == .baseline
        case .preparing(let bounce):
            deadline == .baseline || bounce.isDirectedScanPending && deadline == .retry
        case .arming: deadline == .baseline
        case .keepingDown: deadline == .keepDown
        case .raising, .comparing: deadline == .retry
        case .awaitingLink, .awaitingOwner, .pausing: deadline == .retry || deadline == .settle
        case .restoring: deadline == .settle
        case .verifying: deadline == .probes || deadline == .settle
        }
    }
}
