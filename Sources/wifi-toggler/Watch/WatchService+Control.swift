import Invocation
import Model
import Platform
import Reporting
import Service
import Toggling

/// Queries on the control socket.
extension WatchService {
    func controlService(_ history: HistoryWriter) -> ControlService {
        ControlService(
            version: Help.version,
            status: { [unowned self] name in chosen(name).map(status) },
            lastEvents: { [unowned self] in ordered.flatMap { record($0).events } },
            metrics: { [unowned self] in metricsText },
            history: history.archive { [unowned self] in chosen($0) != nil },
            watches: { [unowned self] in interfaceRef(named: $0) != nil },
            cycle: { [unowned self] in cycle($0) },
            hold: { [unowned self] in hold($0, $1) })
    }

    /// In the form for a client that monitors.
    func lastEvent(of interfaceRef: InterfaceRef) -> JSONText? {
        watched[interfaceRef.id].flatMap { record($0).event }
    }

    /// All metrics of the existing interfaces.
    var metricsText: String {
        let wallNow = WallClock.nanoseconds()
        let now = Instant(nanoseconds: BootClock.now())
        let links = ordered.filter(\.isPresent).map {
            MetricsPage.Link($0.interfaceStatus, present($0), wallNow: wallNow)
        }
        return MetricsPage(
            version: Help.version, interfaces: request.interfaces.map(\.text),
            started: wallNow + (started - now).nanoseconds, links
        ).text
    }

    /// By name.
    private var ordered: [Watched] { watched.values.sorted { $0.interfaceRef.name < $1.interfaceRef.name } }

    /// One, or all without a name; nil: it is not watched.
    private func chosen(_ name: String?) -> [Watched]? {
        guard let name else { return ordered }
        let chosen = ordered.filter { $0.interfaceRef.name == name }
        return chosen.isEmpty ? nil : chosen
    }

    /// Finding the owners needs a read of every process: one for all interfaces, and only if it is reported.
    private func status(of watched: [Watched]) -> [JSONText] {
        let owners = OwnerLookup()
        return watched.map { watched in
            var present = present(watched)
            if watched.isPresent { present.ownership = owners.ownership(of: watched.interfaceRef) }
            return StatusJSON(watched.interfaceStatus, present).json
        }
    }

    private func record(_ watched: Watched) -> StatusJSON {
        StatusJSON(watched.interfaceStatus, present(watched))
    }

    private func present(_ watched: Watched) -> StatusJSON.Present {
        let name = watched.interfaceRef.name
        let settings = settings(of: watched.interfaceRef)
        let now = Instant(nanoseconds: BootClock.now())
        let hold = HoldStore(request).administrativeHold(of: name).map { NoBounceReason.onHold($0) }
        let quiet = QuietHoursClock.end(of: settings.quietHours).map { NoBounceReason.quiet(until: $0) }
        return StatusJSON.Present(
            interface: name, now: now, state: interpreter.state(of: watched.interfaceRef.id),
            settings: settings,
            obstacles: [hold, quiet].compactMap(\.self),
            ownership: nil, instant: history?.present ?? HistoryWriter.instant(boot: ""),
            wallTime: { WallClock.rfc3339(in: $0) })
    }

    private func cycle(_ name: String?) -> Bool {
        guard let name else {
            interpreter.postToAll(.cycleRequested)
            return true
        }
        guard let chosen = chosen(name) else { return false }
        for watched in chosen { interpreter.post(.cycleRequested, to: watched.interfaceRef.id) }
        return true
    }

    private func hold(_ name: String?, _ duration: Duration) -> ControlService.HoldAnswer {
        guard let chosen = chosen(name) else { return .notWatched }
        let holds = HoldStore(request)
        do throws(SystemError) {
            if duration == .zero {
                _ = try holds.release(name)
            } else {
                try holds.hold(name, for: duration)
            }
        } catch {
            return .notWritten("\(request.runDirectory): \(error.words)")
        }
        // Not only when the change of the files is noticed: the reply confirms the hold.
        for watched in chosen { checkForHold(of: watched.interfaceRef.id) }
        return .done
    }
}
