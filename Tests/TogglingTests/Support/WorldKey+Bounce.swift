@testable import Toggling

/// Of a bounce under way, what its future hangs on (``WorldKey``).
struct BounceKey: Hashable {
    let call: BounceCause?
    let cause: VerdictKey?
    let hadNoGateway: Bool
    let hadGateways: Bool
    let snapshot: Snapshot
    let isDown: Bool
    let raised: Int64?
    let restoration: Restoration
    let verdict: VerdictKey?
    let settle: Int64?
    let keeper: Int64?
    let isComparing: Bool
    let raising: Int64?
    let failedRaises: Int
    let verify: Int64?
    let isRaiseInFlight: Bool
    let isSurveyPending: Bool
    let isGuardLost: Bool
    let isListening: Bool
    let shortcut: AccessPoint?
    let isTerminating: Bool
    let hasLoweringFailed: Bool
    let isRaiseOnly: Bool
    let carriesArrears: Bool
    let sequel: NextLook.Why?
    let sequelDue: Int64?
    let sequelWish: BounceCause?
    let method: Toggling.Method
    let rest: [Toggling.Method]
    let done: [Toggling.Method]
    let earlier: VerdictKey?
    let isSpent: Bool
    let obstacle: BounceStep?

    /// Of the waits between attempts to raise, the sixth is the longest.
    private static let longestRow = 6
    /// Longer than any span that is compared with a moment of a bounce.
    private static let longest: Duration = .seconds(60)

    init(_ bounce: Bounce, _ now: Instant) {
        call = bounce.call.isPersons ? bounce.call : nil
        cause = bounce.cause.map { VerdictKey($0) }
        hadNoGateway = bounce.hadNoGateway
        hadGateways = !bounce.before.gateways.isEmpty
        snapshot = bounce.snapshot
        isDown = bounce.loweredAt != nil
        raised = bounce.raisedAt.map { now.since($0, atMost: Self.longest) }
        restoration = bounce.restoration
        verdict = bounce.verdict.map { VerdictKey($0) }
        settle = bounce.settleUntil.map { now.until($0) }
        keeper = bounce.keeperUntil.map { now.until($0) }
        isComparing = bounce.isComparing
        raising = bounce.raisingSince.map { now.since($0, atMost: Self.longest) }
        failedRaises = min(bounce.failedRaises, Self.longestRow)
        verify = bounce.verifyAt.map { now.until($0) }
        isRaiseInFlight = bounce.isRaiseInFlight
        isSurveyPending = bounce.pendingSurvey != nil
        isGuardLost = bounce.isGuardLost
        isListening = bounce.isListening
        shortcut = bounce.shortcut?.accessPoint
        isTerminating = bounce.isTerminating
        hasLoweringFailed = bounce.loweringFailure != nil
        isRaiseOnly = bounce.isRaiseOnly
        carriesArrears = bounce.carriesArrears
        sequel = bounce.sequel?.look.why
        sequelDue = bounce.sequel.map { now.until($0.look.at) }
        sequelWish = bounce.sequel?.wish
        method = bounce.method
        rest = bounce.ladder.rest
        done = bounce.ladder.done
        earlier = bounce.ladder.verdict.map { VerdictKey($0) }
        isSpent = bounce.isSpent
        obstacle = (bounce.obstacle ?? bounce.ladder.obstacle)?.step
    }
}

/// The same of an inquiry.
struct InquiryKey: Hashable {
    let stage: Inquiry.Stage
    let scope: Inquiry.Scope
    let isCaused: Bool
    let person: BounceCause?
    let cause: VerdictKey?
    let lifeSpan: Duration?
    let climb: BounceKey?
    let survey: Survey?
    let surveyAge: Int64?
    let age: Int64
    let proofLimit: Duration
    let asked: [AskedKey]
    let round: Int
    let gateway: Int?
    let isSecondLook: Bool
    let isUnscheduled: Bool
    let isAttributing: Bool

    struct AskedKey: Hashable {
        let question: ProbeRequest.Question
        let serves: Set<Int>
        let result: ProbeResult?
    }

    /// No proof and no survey is of use at twice this age.
    private static let longest: Duration = .seconds(10)

    init(_ inquiry: Inquiry, _ now: Instant) {
        stage = inquiry.stage
        scope = inquiry.scope
        isSecondLook = inquiry.isSecondLook
        isUnscheduled = inquiry.isUnscheduled
        isCaused = inquiry.cause != nil
        person = inquiry.cause?.isPersons == true ? inquiry.cause : nil
        cause = inquiry.cause?.verdict.map { VerdictKey($0) }
        lifeSpan = inquiry.lifeSpan
        climb = inquiry.climb.map { BounceKey($0, now) }
        survey = inquiry.survey
        surveyAge = inquiry.surveyedAt.map { now.since($0, atMost: Self.longest) }
        age = now.since(inquiry.begun, atMost: Self.longest)
        proofLimit = inquiry.proofLimit
        asked = inquiry.asked.map {
            AskedKey(question: $0.request.question, serves: $0.serves, result: $0.result)
        }
        round = inquiry.round
        gateway =
            switch inquiry.gateway {
            case .answered: 0
            case .silent: 1
            case .unknown: 2
            case nil: nil
            }
        isAttributing = inquiry.isAttributing
    }
}
