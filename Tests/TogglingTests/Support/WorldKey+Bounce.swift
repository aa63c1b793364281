@testable import Model
@testable import Toggling

/// The parts of a bounce under way that affect its future (``WorldKey``).
struct BounceKey: Hashable {
    let userRequest: BounceCause?
    let causingVerdict: VerdictKey?
    let hadNoGateway: Bool
    let hadGateways: Bool
    let isStation: Bool
    let snapshot: Snapshot
    let isDown: Bool
    let raised: Int64?
    let downAgain: Int64?
    let restoration: Restoration
    let verdict: VerdictKey?
    let settle: Int64?
    let addressOwner: Int64?
    let isAwaitingComparison: Bool
    let raising: Int64?
    let failedRaises: Int?
    let refused: Int?
    let awaitsGuard: Bool?
    let isRebooting: Bool?
    let verify: Int64?
    let isRaiseInFlight: Bool?
    let isQueryPending: Bool
    let isGuardLost: Bool
    let isScanning: Bool
    let fastReconnect: AccessPoint?
    let isTerminating: Bool
    let hasFailed: Bool
    let isWhole: Bool
    let isGuarded: Bool
    let arming: Int64?
    let carriesPendingRestore: Bool
    let sequel: NextCheck.Why?
    let sequelDue: Int64?
    let sequelRequested: BounceCause?
    let method: Model.Method
    let rest: [Model.Method]
    let done: [Model.Method]
    let earlier: VerdictKey?
    let isSpent: Bool
    let methodFailure: BounceStep?
    let seeksInterface: Bool

    /// The sixth wait between attempts to raise is the longest, and all later ones are as long.
    private static let longestRow = 6
    /// Longer than any duration that a time in a bounce is compared with.
    private static let longest: Duration = .seconds(60)

    init(_ bounce: Bounce, _ now: Instant) {
        userRequest = bounce.cause.isUserRequest ? bounce.cause : nil
        causingVerdict = bounce.cause.verdict.map { VerdictKey($0) }
        hadNoGateway = bounce.hadNoGateway
        hadGateways = !bounce.before.gateways.isEmpty
        isStation = bounce.before.wireless?.role == .station
        snapshot = bounce.snapshot
        isDown = bounce.loweredAt != nil
        raised = bounce.raisedAt.map { now.since($0, atMost: Self.longest) }
        downAgain = bounce.downSince.map { now.since($0, atMost: Self.longest) }
        restoration = bounce.restoration
        verdict = bounce.verdict.map { VerdictKey($0) }
        settle = bounce.settleUntil.map { now.until($0) }
        addressOwner = bounce.ownerUntil.map { now.until($0) }
        isAwaitingComparison = bounce.step == .awaitingOwner(compareAt: nil)
        let attempts = bounce.attempts
        raising = attempts.map { now.since($0.since, atMost: Self.longest) }
        failedRaises = attempts.map { min($0.failed, Self.longestRow) }
        refused = attempts.map { min($0.refused, Toggler.refusals) }
        awaitsGuard = attempts?.awaitsGuard
        isRebooting = attempts?.isRebooting
        verify = bounce.step.due.map { now.until($0) }
        isRaiseInFlight = attempts?.isInFlight
        isQueryPending = bounce.pendingQuery != nil
        isGuardLost = bounce.step == .lowering(isGuardLost: true)
        isScanning = bounce.step == .scanning
        fastReconnect = bounce.fastReconnect?.accessPoint
        isTerminating = bounce.isTerminating
        hasFailed = bounce.methodFailure != nil
        isWhole = bounce.isWhole
        isGuarded = bounce.isGuarded
        let armingSince = bounce.step == .arming ? bounce.guardedSince : nil
        arming = armingSince.map { now.since($0, atMost: Self.longest) }
        carriesPendingRestore = bounce.carriesPendingRestore
        sequel = bounce.sequel?.check.why
        sequelDue = bounce.sequel.map { now.until($0.check.at) }
        sequelRequested = bounce.sequel?.requested
        method = bounce.method
        rest = bounce.ladder.rest
        done = bounce.ladder.done
        earlier = bounce.ladder.verdict.map { VerdictKey($0) }
        isSpent = bounce.ladder.isSpent
        seeksInterface = bounce.seeksInterface
        methodFailure = bounce.lastFailure?.step
    }
}

extension Bounce.Step {
    /// When the step's next comparison is due, or its pause ends.
    fileprivate var due: Instant? {
        switch self {
        case .awaitingOwner(let compareAt): compareAt
        case .pausing(let until): until
        default: nil
        }
    }
}

/// The parts of a check that affect its future (``WorldKey``).
struct HealthCheckKey: Hashable {
    let stage: HealthCheck.Stage
    let scope: HealthCheck.Scope
    let isCaused: Bool
    let userRequest: BounceCause?
    let cause: VerdictKey?
    let livenessWindow: Duration?
    let escalation: BounceKey?
    let kernelState: KernelState?
    let kernelStateAge: Int64?
    let age: Int64
    let proofLimit: Duration
    let asked: [AskedKey]
    let round: Int
    let gateway: Int?
    let isSecondCheck: Bool
    let isUnscheduled: Bool
    let isAttributing: Bool
    let isEchoDue: Bool

    struct AskedKey: Hashable {
        let question: ProbeRequest.Question
        let serves: Set<Int>
        let result: ProbeResult?
    }

    /// Longer than the age at which any confirmation or kernel state is still used.
    private static let longest: Duration = .seconds(10)

    init(_ check: HealthCheck, _ now: Instant) {
        stage = check.stage
        scope = check.scope
        isSecondCheck = check.isSecondCheck
        isUnscheduled = check.isUnscheduled
        isCaused = check.cause != nil
        userRequest = check.cause?.isUserRequest == true ? check.cause : nil
        cause = check.cause?.verdict.map { VerdictKey($0) }
        livenessWindow = check.livenessWindow
        escalation = check.escalation.map { BounceKey($0, now) }
        kernelState = check.kernelState
        kernelStateAge = check.kernelStateAt.map { now.since($0, atMost: Self.longest) }
        age = now.since(check.begun, atMost: Self.longest)
        proofLimit = check.proofLimit
        asked = check.rounds.asked.map {
            AskedKey(question: $0.request.question, serves: $0.serves, result: $0.result)
        }
        round = check.rounds.start
        gateway =
            switch check.gateway {
            case .good: 0
            case .fault: 1
            case .doubt: 2
            case nil: nil
            }
        isAttributing = check.isAttributing
        isEchoDue = check.silence.isDue(at: check.begun)
    }
}
