import Model
import Toggling

// What happened, in a trace.

extension Event {
    /// The names of the cases in a trace. A new case of `Event` needs one here, and then its way back below.
    enum Kind: String, CaseIterable {
        case started, deadlineReached, kernelStateRead, kernelStateFailed, probeFinished, snapshotTaken,
            snapshotFailed
        case baselineTaken
        case guardArmed, guardFailed, guardLost, linkLowered, linkLoweringFailed, linkRaised
        case linkRaisingFailed, performed, performingFailed, restored, linkChanged, linkAppeared, linkRemoved
        case radioChanged, disconnected, joinAttempted, scanBegun, scanFinished, scanAborted,
            directedScanDone,
            addressingChanged, addressingLost
        case monitorOverran
        case resumed, cycleRequested, bounceRequested, reconfigured, terminationRequested
    }

    /// As it stands in a trace, without what belongs to it.
    var name: String { traceJSON.caseName }

    var traceJSON: JSONText {
        switch self {
        case .started(let isPresent): .tagged(Kind.started, .bool(isPresent))
        case .deadlineReached(let deadline): .tagged(Kind.deadlineReached, .word(deadline))
        case .kernelStateRead(let number, let kernelState):
            .tagged(Kind.kernelStateRead, .answer(number, "kernelState", kernelState.traceJSON))
        case .kernelStateFailed(let number, let failure):
            .tagged(Kind.kernelStateFailed, .answer(number, "failure", failure.traceJSON))
        case .probeFinished(let id, let result):
            .tagged(Kind.probeFinished, .answer(id, "result", result.traceJSON))
        case .snapshotTaken(let snapshot): .tagged(Kind.snapshotTaken, snapshot.traceJSON)
        case .snapshotFailed(let failure): .tagged(Kind.snapshotFailed, failure.traceJSON)
        case .baselineTaken(let snapshot): .tagged(Kind.baselineTaken, snapshot?.traceJSON)
        case .guardArmed: .tagged(Kind.guardArmed)
        case .guardFailed(let failure): .tagged(Kind.guardFailed, failure.traceJSON)
        case .guardLost: .tagged(Kind.guardLost)
        case .linkLowered: .tagged(Kind.linkLowered)
        case .linkLoweringFailed(let failure): .tagged(Kind.linkLoweringFailed, failure.traceJSON)
        case .linkRaised: .tagged(Kind.linkRaised)
        case .linkRaisingFailed(let failure): .tagged(Kind.linkRaisingFailed, failure.traceJSON)
        case .performed: .tagged(Kind.performed)
        case .performingFailed(let failure): .tagged(Kind.performingFailed, failure.traceJSON)
        case .restored(let restoration): .tagged(Kind.restored, restoration.traceJSON)
        case .linkChanged(let link): .tagged(Kind.linkChanged, link.traceJSON)
        case .linkAppeared(let link): .tagged(Kind.linkAppeared, link.traceJSON)
        case .linkRemoved: .tagged(Kind.linkRemoved)
        case .radioChanged(let block): .tagged(Kind.radioChanged, .word(block))
        case .disconnected(let end): .tagged(Kind.disconnected, end?.traceJSON)
        case .joinAttempted: .tagged(Kind.joinAttempted)
        case .scanBegun(let scan): .tagged(Kind.scanBegun, scan.traceJSON)
        case .scanFinished: .tagged(Kind.scanFinished)
        case .scanAborted(let ago): .tagged(Kind.scanAborted, ago.map { .duration($0) })
        case .directedScanDone(let failure): .tagged(Kind.directedScanDone, failure?.traceJSON)
        case .addressingChanged: .tagged(Kind.addressingChanged)
        case .addressingLost: .tagged(Kind.addressingLost)
        case .monitorOverran: .tagged(Kind.monitorOverran)
        case .resumed: .tagged(Kind.resumed)
        case .cycleRequested: .tagged(Kind.cycleRequested)
        case .bounceRequested(let delay): .tagged(Kind.bounceRequested, delay.map { .duration($0) })
        case .reconfigured(let settings): .tagged(Kind.reconfigured, settings.traceJSON)
        case .terminationRequested: .tagged(Kind.terminationRequested)
        }
    }

    init(traceJSON json: JSONText) throws(TraceMistake) {
        let (kind, payload) = try json.tag("an event", Kind.self)
        switch kind {
        case .started: self = .started(isPresent: try payload.flag())
        case .deadlineReached: self = .deadlineReached(try payload.word("a deadline"))
        case .kernelStateRead:
            let (number, kernelState) = try payload.answer("kernelState")
            self = .kernelStateRead(number, try KernelState(traceJSON: kernelState))
        case .kernelStateFailed:
            let (number, failure) = try payload.answer("failure")
            self = .kernelStateFailed(number, try Failure(traceJSON: failure))
        case .probeFinished:
            let (id, result) = try payload.answer("result")
            self = .probeFinished(id, try ProbeResult(traceJSON: result))
        case .snapshotTaken: self = .snapshotTaken(try Snapshot(traceJSON: payload))
        case .snapshotFailed: self = .snapshotFailed(try Failure(traceJSON: payload))
        case .baselineTaken:
            self = .baselineTaken(try payload.isNull ? nil : Snapshot(traceJSON: payload))
        case .guardArmed: self = try payload.alone(.guardArmed)
        case .guardFailed: self = .guardFailed(try Failure(traceJSON: payload))
        case .guardLost: self = try payload.alone(.guardLost)
        case .linkLowered: self = try payload.alone(.linkLowered)
        case .linkLoweringFailed: self = .linkLoweringFailed(try Failure(traceJSON: payload))
        case .linkRaised: self = try payload.alone(.linkRaised)
        case .linkRaisingFailed: self = .linkRaisingFailed(try Failure(traceJSON: payload))
        case .performed: self = try payload.alone(.performed)
        case .performingFailed: self = .performingFailed(try Failure(traceJSON: payload))
        case .restored: self = .restored(try Restoration(traceJSON: payload))
        case .linkChanged: self = .linkChanged(try Link(traceJSON: payload))
        case .linkAppeared: self = .linkAppeared(try Link(traceJSON: payload))
        case .linkRemoved: self = try payload.alone(.linkRemoved)
        case .radioChanged: self = .radioChanged(try payload.word("a state of rfkill"))
        case .disconnected: self = .disconnected(try payload.isNull ? nil : Disconnection(traceJSON: payload))
        case .joinAttempted: self = try payload.alone(.joinAttempted)
        case .scanBegun: self = .scanBegun(try Scan(traceJSON: payload))
        case .scanFinished: self = try payload.alone(.scanFinished)
        case .scanAborted: self = .scanAborted(heard: try payload.isNull ? nil : payload.duration())
        case .directedScanDone:
            self = .directedScanDone(try payload.isNull ? nil : Failure(traceJSON: payload))
        case .addressingChanged: self = try payload.alone(.addressingChanged)
        case .addressingLost: self = try payload.alone(.addressingLost)
        case .monitorOverran: self = try payload.alone(.monitorOverran)
        case .resumed: self = try payload.alone(.resumed)
        case .cycleRequested: self = try payload.alone(.cycleRequested)
        case .bounceRequested:
            self = .bounceRequested(delay: try payload.isNull ? nil : payload.duration(atLeast: .zero))
        case .reconfigured: self = .reconfigured(try Settings(traceJSON: payload))
        case .terminationRequested: self = try payload.alone(.terminationRequested)
        }
    }
}

extension JSONText {
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
