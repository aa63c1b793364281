import Invocation
import Model
import Platform
import Reporting
import Service
import Toggling

/// Answers queries and orders of clients of the control socket.
final class ControlRequestHandler {
    private let configuration: ServiceConfiguration
    private let interfaces: WatchedInterfaces
    private let interpreter: Interpreter
    private let history: HistoryWriter
    private let holds: HoldReporter
    private let started = Instant.now

    init(
        _ configuration: ServiceConfiguration, _ interfaces: WatchedInterfaces, _ interpreter: Interpreter,
        _ history: HistoryWriter, _ holds: HoldReporter
    ) {
        self.configuration = configuration
        self.interfaces = interfaces
        self.interpreter = interpreter
        self.history = history
        self.holds = holds
    }

    var service: ControlService {
        ControlService(
            version: Help.version,
            status: { [unowned self] name in chosen(name).map(status) },
            lastEvents: { [unowned self] in
                interfaces.byName.flatMap { StatusJSON($0.interfaceStatus, present($0)).events }
            },
            metrics: { [unowned self] in metricsText },
            history: history.archive { [unowned self] in chosen($0) != nil },
            watches: { [unowned self] in interfaces.present(named: $0) != nil },
            cycle: { [unowned self] in cycle($0) },
            hold: { [unowned self] in hold($0, $1) })
    }

    /// The metrics of all interfaces that exist, as text.
    var metricsText: String {
        let wallNow = WallClock.nanoseconds()
        let now = Instant.now
        let links = interfaces.byName.filter(\.isPresent).map {
            MetricsPage.Link($0.interfaceStatus, present($0), wallNow: wallNow)
        }
        return MetricsPage(
            version: Help.version, interfaces: configuration.request.interfaces.map(\.text),
            started: wallNow + (started - now).nanoseconds, links
        ).text
    }

    /// The watched interface of this name, or all without a name; nil if no interface of this name is
    /// watched.
    private func chosen(_ name: String?) -> [WatchedInterface]? {
        guard let name else { return interfaces.byName }
        let chosen = interfaces.byName.filter { $0.name == name }
        return chosen.isEmpty ? nil : chosen
    }

    /// The status of interfaces. Finding the owners requires reading every process, so this is done once for
    /// all interfaces.
    private func status(of chosen: [WatchedInterface]) -> [JSONText] {
        let owners = OwnerLookup()
        return chosen.map { watched in
            var present = present(watched)
            if watched.isPresent {
                present.ownership = owners.ownership(of: watched.interfaceRef)
                present.powerSaveOff = powerSaveOff(of: watched, present.settings)
            }
            return StatusJSON(watched.interfaceStatus, present).json
        }
    }

    /// Why the service keeps power saving off; nil: the service does not, or the interface is not Wi-Fi.
    private func powerSaveOff(of watched: WatchedInterface, _ settings: Settings) -> PowerSaveOffReason? {
        guard OwnerLookup.isWireless(watched.interfaceRef) else { return nil }
        let driver = SysfsDriver.name(ofInterface: watched.name)
        return configuration.drivers.reason(for: settings.powerSave, with: driver)
    }

    private func present(_ watched: WatchedInterface) -> StatusJSON.Present {
        let settings = configuration.settings(of: watched)
        let now = Instant.now
        let hold = HoldStore(configuration.request).administrativeHold(of: watched.name)
            .map { NoBounceReason.onHold($0) }
        let quiet = QuietHoursClock.end(of: settings.quietHours).map { NoBounceReason.quiet(until: $0) }
        return StatusJSON.Present(
            interface: watched.name, now: now, state: interpreter.state(of: watched.id),
            settings: settings,
            noBounceReasons: [hold, quiet].compactMap(\.self),
            ownership: nil, instant: history.present,
            wallTime: ReportPrinter.wallTime)
    }

    private func cycle(_ name: String?) -> Bool {
        guard let name else {
            interpreter.postToAll(.cycleRequested)
            return true
        }
        guard let chosen = chosen(name) else { return false }
        for watched in chosen { interpreter.post(.cycleRequested, to: watched.id) }
        return true
    }

    private func hold(_ name: String?, _ duration: Duration) -> ControlService.HoldAnswer {
        guard let chosen = chosen(name) else { return .notWatched }
        let store = HoldStore(configuration.request)
        do throws(SystemError) {
            if duration == .zero {
                _ = try store.release(name)
            } else {
                try store.hold(name, for: duration)
            }
        } catch {
            return .notWritten("\(configuration.request.runDirectory): \(error.description)")
        }
        // The reply confirms the hold, so report it now, and not only when the change of the files is
        // noticed.
        for watched in chosen { holds.check(watched) }
        return .done
    }
}
