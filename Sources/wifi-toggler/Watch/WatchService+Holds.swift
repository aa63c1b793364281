import Model
import Platform
import Reporting
import Service
import Toggling

/// What happens to interfaces between two looks, for the log and for those who monitor.
extension WatchService {
    /// Tells those who monitor, and the log what is told there by no report.
    /// - Parameter name: of the interface, as they know it.
    func tell(_ interfaceEvent: InterfaceEvent, about name: String) {
        if let interfaceRef = interfaceEvent.interfaceRef {
            printer.note(.notice, "\(name): \(interfaceEvent.reason)", about: name, interfaceRef)
        }
        control?.tell { interfaceEvent.json(interface: name, time: WallClock.rfc3339()) }
    }

    // MARK: Holds

    /// From now on what is held is told. A dry run tells nobody.
    func listenToHolds() {
        holds = HoldMonitor(request.runDirectory) { [unowned self] in
            for id in watched.keys.sorted() { checkForHold(of: id) }
        }
        live.mayBeHeld = { [unowned self] in holds?.mayHold($0) != false }
    }

    /// Tells what has changed of what an administrator wants of this interface.
    func checkForHold(of id: Int) {
        guard let holds, let name = watched[id]?.interfaceRef.name else { return }
        let now = Instant(nanoseconds: BootClock.now())
        let administrativeHold = HoldStore(request).administrativeHold(of: name)
        guard let interfaceEvent = watched[id]?.interfaceStatus.note(administrativeHold, at: now) ?? nil
        else { return }
        holds.expect(watched.values.compactMap(\.interfaceStatus.holdEnd).min())
        tell(interfaceEvent, about: name)
    }

    /// Where nobody tells of holds, each check asks for them.
    func checkForHoldUntold(of id: Int) {
        guard let holds, !holds.isListening else { return }
        holds.listen()
        checkForHold(of: id)
    }
}
