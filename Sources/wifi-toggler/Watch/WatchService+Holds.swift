import Model
import Platform
import Reporting
import Service
import Toggling

/// Events of interfaces between two checks, for the log and for clients that monitor.
extension WatchService {
    /// Reports an event to clients that monitor, and logs it unless a report does so.
    /// - Parameter name: of the interface, as they know it.
    func tell(_ interfaceEvent: InterfaceEvent, about name: String) {
        if let interfaceRef = interfaceEvent.interfaceRef {
            printer.note(.notice, "\(name): \(interfaceEvent.reason)", about: name, interfaceRef)
        }
        control?.tell { interfaceEvent.json(interface: name, time: WallClock.rfc3339()) }
    }

    // MARK: Holds

    /// From now on holds are reported. A dry run reports none.
    func listenToHolds() {
        holds = HoldMonitor(request.runDirectory) { [unowned self] in
            for id in watched.keys.sorted() { checkForHold(of: id) }
        }
        live.mayBeHeld = { [unowned self] in holds?.mayHold($0) != false }
    }

    /// Reports changes of the hold on this interface.
    func checkForHold(of id: Int) {
        guard let holds, let name = watched[id]?.interfaceRef.name else { return }
        let now = Instant(nanoseconds: BootClock.now())
        let administrativeHold = HoldStore(request).administrativeHold(of: name)
        guard let interfaceEvent = watched[id]?.interfaceStatus.note(administrativeHold, at: now) ?? nil
        else { return }
        holds.expect(watched.values.compactMap(\.interfaceStatus.holdEnd).min())
        tell(interfaceEvent, about: name)
    }

    /// If the files are not watched, each check reads them.
    func checkForHoldUntold(of id: Int) {
        guard let holds, !holds.isListening else { return }
        holds.listen()
        checkForHold(of: id)
    }
}
