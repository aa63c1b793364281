import Platform
import Service
import Toggling

/// What somebody on the control socket has this service do, and waits for.
struct PendingErrand {
    let errand: ControlErrand
    /// Of the interface, which may be renamed meanwhile.
    let id: Int
    var narrator: ErrandNarrator
}

extension WatchService {
    /// An interface that is there.
    func subject(named name: String) -> Subject? {
        watched.values.first { $0.isPresent && $0.subject.name == name }?.subject
    }

    func begin(_ errand: ControlErrand, for client: Int) {
        guard let subject = subject(named: errand.interface) else {
            control?.end([], .unavailable, nil, to: client)
            return
        }
        desk.note(
            .notice, "\(subject.name): \(errand.word) asked for, by the control socket", about: subject.name)
        errands[client] = PendingErrand(
            errand: errand, id: subject.id, narrator: ErrandNarrator(settings: settings(of: subject)))
        showProgress(of: subject)
        switch errand.wish {
        case .toggle(let delay): interpreter.post(.bounceRequested(delay: delay), to: subject.id)
        case .reconnect: interpreter.post(.cycleRequested, to: subject.id)
        }
    }

    func tellErrands(_ report: Report, _ subject: Subject) {
        for (client, pending) in errands where pending.id == subject.id {
            switch report {
            case .watching: break
            case .step(let step):
                let lines = lines(for: report, subject, client)
                control?.tell(lines, to: client)
                if case .absent = step { end(client, [], .refused(.absent), nil) }
            case .cycle(let cycle):
                guard pending.errand.isDone(by: cycle) else {
                    control?.tell(lines(for: report, subject, client), to: client)
                    continue
                }
                let lines = lines(for: .cycle(cycle.last), subject, client)
                end(client, lines, pending.errand.outcome(of: cycle), event(cycle.last, subject))
            }
        }
    }

    /// To those who wait for it.
    func showProgress(of subject: Subject) {
        guard errands.values.contains(where: { $0.id == subject.id }),
            let state = interpreter.state(of: subject.id)
        else { return }
        let now = Instant(nanoseconds: BootClock.now())
        guard let progress = Progress(state, under: settings(of: subject), at: now) else { return }
        for (client, pending) in errands where pending.id == subject.id {
            control?.tell([], progress, to: client)
        }
    }

    /// The interface is not looked after any more.
    func endErrands(of subject: Subject, _ outcome: Outcome) {
        for (client, pending) in errands where pending.id == subject.id { end(client, [], outcome, nil) }
    }

    private func lines(for report: Report, _ subject: Subject, _ client: Int) -> [Line] {
        let now = Instant(nanoseconds: BootClock.now())
        return errands[client]?.narrator.lines(for: report, interface: subject.name, at: now) ?? []
    }

    private func event(_ cycle: CycleReport, _ subject: Subject) -> JSONText {
        CycleRecord.json(
            cycle, interface: subject.name, time: WallClock.rfc3339(),
            now: Instant(nanoseconds: BootClock.now()), wallTime: { WallClock.rfc3339(in: $0) })
    }

    private func end(_ client: Int, _ lines: [Line], _ outcome: Outcome, _ event: JSONText?) {
        errands[client] = nil
        control?.end(lines, ExitStatus(outcome), event, to: client)
    }
}
