import Toggling

// What happened, in a trace.

nonisolated extension Event {
    /// The names of the cases in a trace. A new case of `Event` needs one here, and then its way back below.
    enum Kind: String, CaseIterable {
        case started, deadlineReached, surveyed, surveyFailed, probeFinished, snapshotTaken, snapshotFailed
        case keepsakeTaken
        case guardArmed, guardFailed, guardLost, linkLowered, linkLoweringFailed, linkRaised
        case linkRaisingFailed, performed, performingFailed, restored, linkChanged, linkAppeared, linkRemoved
        case radioChanged, disconnected, joinAttempted, scanBegun, scanFinished, scanCutShort, listened,
            surroundingsChanged, surroundingsLost
        case monitorOverran
        case resumed, cycleRequested, bounceRequested, reconfigured, terminationRequested
    }

    /// As it stands in a trace, without what belongs to it.
    var name: String { traced.caseName }

    var traced: JSONText {
        switch self {
        case .started(let isPresent): .tagged(Kind.started, .bool(isPresent))
        case .deadlineReached(let deadline): .tagged(Kind.deadlineReached, .word(deadline))
        case .surveyed(let number, let survey):
            .tagged(Kind.surveyed, .answer(number, "survey", survey.traced))
        case .surveyFailed(let number, let failure):
            .tagged(Kind.surveyFailed, .answer(number, "failure", failure.traced))
        case .probeFinished(let id, let result):
            .tagged(Kind.probeFinished, .answer(id, "result", result.traced))
        case .snapshotTaken(let snapshot): .tagged(Kind.snapshotTaken, snapshot.traced)
        case .snapshotFailed(let failure): .tagged(Kind.snapshotFailed, failure.traced)
        case .keepsakeTaken(let snapshot): .tagged(Kind.keepsakeTaken, snapshot?.traced)
        case .guardArmed: .tagged(Kind.guardArmed)
        case .guardFailed(let failure): .tagged(Kind.guardFailed, failure.traced)
        case .guardLost: .tagged(Kind.guardLost)
        case .linkLowered: .tagged(Kind.linkLowered)
        case .linkLoweringFailed(let failure): .tagged(Kind.linkLoweringFailed, failure.traced)
        case .linkRaised: .tagged(Kind.linkRaised)
        case .linkRaisingFailed(let failure): .tagged(Kind.linkRaisingFailed, failure.traced)
        case .performed: .tagged(Kind.performed)
        case .performingFailed(let failure): .tagged(Kind.performingFailed, failure.traced)
        case .restored(let restoration): .tagged(Kind.restored, restoration.traced)
        case .linkChanged(let link): .tagged(Kind.linkChanged, link.traced)
        case .linkAppeared(let link): .tagged(Kind.linkAppeared, link.traced)
        case .linkRemoved: .tagged(Kind.linkRemoved)
        case .radioChanged(let block): .tagged(Kind.radioChanged, .word(block))
        case .disconnected(let end): .tagged(Kind.disconnected, end?.traced)
        case .joinAttempted: .tagged(Kind.joinAttempted)
        case .scanBegun(let scan): .tagged(Kind.scanBegun, scan.traced)
        case .scanFinished: .tagged(Kind.scanFinished)
        case .scanCutShort(let ago): .tagged(Kind.scanCutShort, ago.map { .span($0) })
        case .listened(let failure): .tagged(Kind.listened, failure?.traced)
        case .surroundingsChanged: .tagged(Kind.surroundingsChanged)
        case .surroundingsLost: .tagged(Kind.surroundingsLost)
        case .monitorOverran: .tagged(Kind.monitorOverran)
        case .resumed: .tagged(Kind.resumed)
        case .cycleRequested: .tagged(Kind.cycleRequested)
        case .bounceRequested(let delay): .tagged(Kind.bounceRequested, delay.map { .span($0) })
        case .reconfigured(let settings): .tagged(Kind.reconfigured, settings.traced)
        case .terminationRequested: .tagged(Kind.terminationRequested)
        }
    }

    init(traced json: JSONText) throws(TraceMistake) {
        let (kind, payload) = try json.tag("an event", Kind.self)
        switch kind {
        case .started: self = .started(isPresent: try payload.flag())
        case .deadlineReached: self = .deadlineReached(try payload.word("a deadline"))
        case .surveyed:
            let (number, survey) = try payload.answer("survey")
            self = .surveyed(number, try Survey(traced: survey))
        case .surveyFailed:
            let (number, failure) = try payload.answer("failure")
            self = .surveyFailed(number, try Failure(traced: failure))
        case .probeFinished:
            let (id, result) = try payload.answer("result")
            self = .probeFinished(id, try ProbeResult(traced: result))
        case .snapshotTaken: self = .snapshotTaken(try Snapshot(traced: payload))
        case .snapshotFailed: self = .snapshotFailed(try Failure(traced: payload))
        case .keepsakeTaken:
            self = .keepsakeTaken(try payload.isNull ? nil : Snapshot(traced: payload))
        case .guardArmed: self = try payload.alone(.guardArmed)
        case .guardFailed: self = .guardFailed(try Failure(traced: payload))
        case .guardLost: self = try payload.alone(.guardLost)
        case .linkLowered: self = try payload.alone(.linkLowered)
        case .linkLoweringFailed: self = .linkLoweringFailed(try Failure(traced: payload))
        case .linkRaised: self = try payload.alone(.linkRaised)
        case .linkRaisingFailed: self = .linkRaisingFailed(try Failure(traced: payload))
        case .performed: self = try payload.alone(.performed)
        case .performingFailed: self = .performingFailed(try Failure(traced: payload))
        case .restored: self = .restored(try Restoration(traced: payload))
        case .linkChanged: self = .linkChanged(try Link(traced: payload))
        case .linkAppeared: self = .linkAppeared(try Link(traced: payload))
        case .linkRemoved: self = try payload.alone(.linkRemoved)
        case .radioChanged: self = .radioChanged(try payload.word("a state of rfkill"))
        case .disconnected: self = .disconnected(try payload.isNull ? nil : Disconnection(traced: payload))
        case .joinAttempted: self = try payload.alone(.joinAttempted)
        case .scanBegun: self = .scanBegun(try Scan(traced: payload))
        case .scanFinished: self = try payload.alone(.scanFinished)
        case .scanCutShort: self = .scanCutShort(heard: try payload.isNull ? nil : payload.span())
        case .listened: self = .listened(try payload.isNull ? nil : Failure(traced: payload))
        case .surroundingsChanged: self = try payload.alone(.surroundingsChanged)
        case .surroundingsLost: self = try payload.alone(.surroundingsLost)
        case .monitorOverran: self = try payload.alone(.monitorOverran)
        case .resumed: self = try payload.alone(.resumed)
        case .cycleRequested: self = try payload.alone(.cycleRequested)
        case .bounceRequested:
            self = .bounceRequested(delay: try payload.isNull ? nil : payload.span(atLeast: .zero))
        case .reconfigured: self = .reconfigured(try Settings(traced: payload))
        case .terminationRequested: self = try payload.alone(.terminationRequested)
        }
    }
}

nonisolated extension JSONText {
    /// The answer to the request of this number.
    fileprivate static func answer(_ number: Int, _ name: String, _ value: JSONText) -> JSONText {
        .members([("number", .number(number)), (name, value)])
    }

    fileprivate func answer(_ name: String) throws(TraceMistake) -> (number: Int, value: JSONText) {
        var object = try TraceObject(self)
        let answer: (Int, JSONText) = (try object.take("number").number(), try object.take(name))
        try object.end()
        return answer
    }

    fileprivate var isNull: Bool { if case .null = self { true } else { false } }

    /// An event that stands alone.
    fileprivate func alone(_ event: Event) throws(TraceMistake) -> Event {
        try nothing()
        return event
    }
}
