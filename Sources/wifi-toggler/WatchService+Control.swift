import Invocation
import Platform
import Service
import Toggling

/// What can be asked on the control socket.
extension WatchService {
    func controlService(_ history: HistoryKeeper) -> ControlService {
        ControlService(
            version: Help.version,
            status: { [unowned self] name in chosen(name).map(status) },
            lastEvents: { [unowned self] in ordered.flatMap { record($0).events } },
            metrics: { [unowned self] in metricsText },
            history: history.archive { [unowned self] in chosen($0) != nil },
            watches: { [unowned self] in subject(named: $0) != nil },
            cycle: { [unowned self] in cycle($0) },
            hold: { [unowned self] in hold($0, $1) })
    }

    /// As a client that monitors is told of it.
    func lastEvent(of subject: Subject) -> JSONText? {
        watched[subject.id].flatMap { record($0).event }
    }

    /// All metrics, of the interfaces that are there.
    var metricsText: String {
        let wallNow = WallClock.nanoseconds()
        let now = Instant(nanoseconds: BootClock.now())
        let links = ordered.filter(\.isPresent).map {
            MetricsPage.Link($0.standing, present($0), wallNow: wallNow)
        }
        return MetricsPage(
            version: Help.version, interfaces: request.interfaces.map(\.text),
            started: wallNow + (started - now).nanoseconds, links
        ).text
    }

    /// By name.
    private var ordered: [Watched] { watched.values.sorted { $0.subject.name < $1.subject.name } }

    /// One, or all without a name; nil: it is not watched.
    private func chosen(_ name: String?) -> [Watched]? {
        guard let name else { return ordered }
        let chosen = ordered.filter { $0.subject.name == name }
        return chosen.isEmpty ? nil : chosen
    }

    /// Who manages the interfaces costs a look at every process: one for all of them, and only where it is told.
    private func status(of watched: [Watched]) -> [JSONText] {
        let owners = OwnerKeeper()
        return watched.map { watched in
            var present = present(watched)
            if watched.isPresent { present.ownership = owners.ownership(of: watched.subject) }
            return StatusRecord(watched.standing, present).json
        }
    }

    private func record(_ watched: Watched) -> StatusRecord {
        StatusRecord(watched.standing, present(watched))
    }

    private func present(_ watched: Watched) -> StatusRecord.Present {
        let name = watched.subject.name
        let settings = settings(of: watched.subject)
        let now = Instant(nanoseconds: BootClock.now())
        let hold = HoldKeeper(request).inhibition(of: name).map { Refusal.inhibited($0) }
        let quiet = QuietKeeper.end(of: settings.quietHours).map { Refusal.quiet(until: $0) }
        return StatusRecord.Present(
            interface: name, now: now, state: interpreter.state(of: watched.subject.id), settings: settings,
            obstacles: [hold, quiet].compactMap(\.self),
            ownership: nil, moment: history?.present ?? HistoryKeeper.moment(boot: ""),
            wallTime: { WallClock.rfc3339(in: $0) })
    }

    private func cycle(_ name: String?) -> Bool {
        guard let name else {
            interpreter.postToAll(.cycleRequested)
            return true
        }
        guard let chosen = chosen(name) else { return false }
        for watched in chosen { interpreter.post(.cycleRequested, to: watched.subject.id) }
        return true
    }

    private func hold(_ name: String?, _ span: Duration) -> ControlService.HoldAnswer {
        guard let chosen = chosen(name) else { return .notWatched }
        let keeper = HoldKeeper(request)
        do throws(SystemError) {
            if span == .zero { _ = try keeper.release(name) } else { try keeper.hold(name, for: span) }
        } catch {
            return .notWritten("\(request.runDirectory): \(error.words)")
        }
        // Not only when the files are heard of: the reply says that it is so.
        for watched in chosen { lookForHold(of: watched.subject.id) }
        return .done
    }
}
