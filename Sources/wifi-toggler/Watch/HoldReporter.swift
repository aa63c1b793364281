import Model
import Platform
import Reporting
import Service

/// Reports when holds on the watched interfaces begin and end.
final class HoldReporter {
    private let configuration: ServiceConfiguration
    private let interfaces: WatchedInterfaces
    private let tell: (Record, InterfaceRef) -> Void
    private lazy var monitor = HoldMonitor(configuration.request.runDirectory) { [unowned self] in
        for watched in interfaces.all { check(watched) }
    }

    init(
        _ configuration: ServiceConfiguration, _ interfaces: WatchedInterfaces,
        _ tell: @escaping (Record, InterfaceRef) -> Void
    ) {
        self.configuration = configuration
        self.interfaces = interfaces
        self.tell = tell
    }

    /// Starts watching the files of holds.
    func listen() { monitor.listen() }

    /// Whether there may be a hold on the interface, judging by the names of the files.
    func mayHold(_ interface: String) -> Bool { monitor.mayHold(interface) }

    /// Reports a change of the hold on an interface.
    func check(_ watched: WatchedInterface) {
        let now = Instant.now
        let hold = HoldStore(configuration.request).administrativeHold(of: watched.name)
        guard let record = watched.interfaceStatus.note(hold, about: watched.name, at: now) else { return }
        monitor.expect(interfaces.all.compactMap(\.interfaceStatus.holdEnd).min())
        tell(record, watched.interfaceRef)
    }

    /// Checks the hold after each check of the link, in case the files cannot be watched.
    func checkUnlessMonitored(_ watched: WatchedInterface) {
        guard !monitor.isListening else { return }
        monitor.listen()
        check(watched)
    }
}
