@testable import Toggling

extension Effect {
    /// The id of the probe that this starts.
    var probe: Int? {
        if case .startProbe(let request) = self { request.id } else { nil }
    }

    /// The number of the survey that this asks for.
    var survey: Int? {
        switch self {
        case .survey(let number), .surveyWithLogins(let number), .surveyWithLife(let number, _),
            .surveyWithPowerSave(let number):
            number
        default: nil
        }
    }

    var isGuardOrder: Bool {
        if case .armGuard = self { true } else { false }
    }

    var isListening: Bool {
        if case .listen = self { true } else { false }
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
        case .lowering(let bounce), .raising(let bounce), .awaitingKeeper(let bounce),
            .restoring(let bounce):
            bounce.isTerminating
        case .idle, .absent, .waiting, .inquiring, .preparing, .performing, .arming, .holding, .awaitingLink,
            .verifying, .pausing, .comparing:
            false
        }
    }

    /// The probes whose answers are waited for.
    var outstanding: [Int] {
        switch self {
        case .inquiring(let inquiry), .verifying(_, let inquiry): inquiry.outstanding
        case .idle, .absent, .waiting, .preparing, .performing, .arming, .lowering, .holding, .raising,
            .awaitingLink, .awaitingKeeper, .restoring, .pausing, .comparing, .finished:
            []
        }
    }

    /// Whether an answer is on its way, or a deadline armed, that takes this state further.
    func hasSomethingToWaitFor(open: [Effect], _ awaited: Set<Deadline>) -> Bool {
        switch self {
        case .finished, .absent: true
        case .idle: false
        case .waiting: awaited.contains(.look)
        case .inquiring(let inquiry), .verifying(_, let inquiry):
            open.contains { $0.survey == inquiry.number } || awaited.contains(.inquiry)
        case .preparing(let bounce):
            bounce.isListening ? awaited.contains(.retry) : open.contains(.takeSnapshot)
        case .arming: open.contains(where: \.isGuardOrder)
        case .performing(let bounce): open.contains(.perform(bounce.method))
        case .lowering(let bounce): open.contains(.lowerLink(bounce.method))
        case .holding: awaited.contains(.hold)
        case .raising(let bounce):
            bounce.isRaiseInFlight ? open.contains(.raiseLink(bounce.method)) : awaited.contains(.retry)
        case .awaitingLink: awaited.contains(.retry) && awaited.contains(.settle)
        case .awaitingKeeper(let bounce):
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
        case .waiting: deadline == .look || deadline == .keepsake
        // The link is left alone yet, and may be waited for again.
        case .inquiring: deadline == .inquiry || deadline == .keepsake
        case .preparing(let bounce): deadline == .keepsake || bounce.isListening && deadline == .retry
        case .arming: deadline == .keepsake
        case .holding: deadline == .hold
        case .raising, .comparing: deadline == .retry
        case .awaitingLink, .awaitingKeeper, .pausing: deadline == .retry || deadline == .settle
        case .restoring: deadline == .settle
        case .verifying: deadline == .inquiry || deadline == .settle
        }
    }
}
