@testable import Model
@testable import Toggling

/// What a toggler has ordered in a virtual world. Times are those since the call of `start`.
struct Orders {
    // MARK: Queries and probes

    /// When the kernel state was queried.
    private(set) var checks: [Duration] = []
    /// When the state of the device that has lost the interface was queried.
    private(set) var deviceQuestions: [Duration] = []
    private(set) var questionsForOwner = 0
    private(set) var questionsForLogins = 0
    private(set) var questionsForLiveness = 0
    private(set) var questionsForPowerSave = 0
    private(set) var questionsForReboot = 0
    private(set) var questions: [ProbeRequest.Question] = []
    /// The interfaces to which probes were bound; nil: the link itself.
    private(set) var devices: Set<Port.Device?> = []

    // MARK: Recoveries

    /// The methods that were tried, in order, successful or not.
    private(set) var tried: [Model.Method] = []
    var reboots: Int { tried.count { $0 == .reboot } }
    /// When the link was lowered and raised.
    private(set) var lowered: [Duration] = []
    private(set) var raised: [Duration] = []
    /// How many methods were stopped.
    private(set) var stopped = 0
    private(set) var directedScans: [AccessPoint] = []
    private(set) var abortedScans: [AccessPoint] = []

    // MARK: What the link had before

    /// When the baseline was taken.
    private(set) var baselines: [Duration] = []
    /// The snapshots with which the link was compared, in order.
    private(set) var owed: [Snapshot] = []
    /// When a comparison alone was ordered, and when one with a restore.
    private(set) var compared: [Duration] = []
    private(set) var putBack: [Duration] = []

    // MARK: Other orders

    /// When power saving was compared with the setting, and how often it was switched off.
    private(set) var powerSaveCompared: [Duration] = []
    private(set) var powerSaveSwitchedOff = 0
    /// When the link's addresses were announced.
    private(set) var announced: [Duration] = []
    /// The neighbours that the kernel was made to resolve again.
    private(set) var resolvedNeighbours: [[IPAddress]] = []

    mutating func note(_ effect: Effect, at now: Duration) {
        switch effect {
        case .kernelState(_, let details): note(details, at: now)
        case .startProbe(let request):
            questions.append(request.question)
            devices.insert(request.device)
        case .lowerLink(let method), .perform(let method): tried.append(method)
        case .stopPerforming: stopped += 1
        case .directedScan(let accessPoint): directedScans.append(accessPoint)
        case .abortScan(let accessPoint, _): abortedScans.append(accessPoint)
        case .takeBaseline: baselines.append(now)
        case .restore(let snapshot, let puttingBack):
            owed.append(snapshot)
            if puttingBack { putBack.append(now) } else { compared.append(now) }
        case .switchPowerSaveOff: powerSaveCompared.append(now)
        case .announce: announced.append(now)
        case .resolveNeighbours(let addresses): resolvedNeighbours.append(addresses)
        case .raiseLink, .cancelProbe, .takeSnapshot, .armGuard, .tellGuard, .disarmGuard, .arm, .disarm,
            .remember, .rememberBounces, .report, .finish:
            break
        }
    }

    private mutating func note(_ details: KernelState.Details, at now: Duration) {
        if details.rebootState { questionsForReboot += 1 }
        guard !details.lossOfInterface else { return deviceQuestions.append(now) }
        checks.append(now)
        if details.ownerCondition { questionsForOwner += 1 }
        if details.logins { questionsForLogins += 1 }
        if details.livenessWithin != nil { questionsForLiveness += 1 }
        if details.powerSave { questionsForPowerSave += 1 }
    }

    // MARK: Orders that succeeded

    mutating func linkLowered(at now: Duration) { lowered.append(now) }
    mutating func linkRaised(at now: Duration) { raised.append(now) }
    mutating func powerSaveOff() { powerSaveSwitchedOff += 1 }
}
