import Platform
import Service
import Toggling

/// What happens to interfaces between two looks, for the log and for those who monitor.
extension WatchService {
    /// Tells those who monitor, and the log what is told there by no report.
    /// - Parameter name: of the interface, as they know it.
    func tell(_ occurrence: Occurrence, about name: String) {
        if let subject = occurrence.subject {
            desk.note(.notice, "\(name): \(occurrence.reason)", about: name, subject)
        }
        control?.tell { occurrence.json(interface: name, time: WallClock.rfc3339()) }
    }

    // MARK: Holds

    /// From now on what is held is told. A rehearsal tells nobody.
    func listenToHolds() {
        holds = HoldWatch(request.runDirectory) { [unowned self] in
            for id in watched.keys.sorted() { lookForHold(of: id) }
        }
        world.mayBeHeld = { [unowned self] in holds?.mayHold($0) != false }
    }

    /// Tells what has changed of what an administrator wants of this interface.
    func lookForHold(of id: Int) {
        guard let holds, let name = watched[id]?.subject.name else { return }
        let now = Instant(nanoseconds: BootClock.now())
        let inhibition = HoldKeeper(request).inhibition(of: name)
        guard let occurrence = watched[id]?.standing.note(inhibition, at: now) ?? nil else { return }
        holds.expect(watched.values.compactMap(\.standing.holdEnd).min())
        tell(occurrence, about: name)
    }

    /// Where nobody tells of holds, each look asks for them.
    func lookForHoldUntold(of id: Int) {
        guard let holds, !holds.isListening else { return }
        holds.listen()
        lookForHold(of: id)
    }
}
