import Model
import Platform
import Reporting
import Service
import Toggling

/// Looks up in the history what was done last about each interface, when a service begins: one file after the
/// other, in turns on the event loop, none of which takes more than a few milliseconds or waits for a disk.
final class LastActionLoader {
    private struct Task {
        let open: () -> () -> HistoryArchive.Piece
        let tell: (PastAction) -> Void
    }

    /// Pauses for one file: a card that is busy writing takes a second. Who has waited longer does without.
    private static let mostPauses = 500

    /// In the order in which they came; the first is the one that is read.
    private var tasks: [Task] = []
    private var next: (() -> HistoryArchive.Piece)?
    private var search = PastActionSearch()
    private var pauses = 0
    private var pause: TimerSource?

    /// - Parameters:
    ///   - open: opens the history of an interface.
    ///   - tell: is told later, if there is anything to tell. What is damaged, or cannot be read, costs
    ///     nothing else.
    func recall(
        _ open: @escaping () -> () -> HistoryArchive.Piece, _ tell: @escaping (PastAction) -> Void
    ) {
        tasks.append(Task(open: open, tell: tell))
        if tasks.count == 1 { EventLoop.soon { [weak self] in self?.turn() } }
    }

    private func turn() {
        guard let task = tasks.first else { return }
        let next = next ?? task.open()
        self.next = next
        switch next() {
        case .bytes(let bytes): search.take(bytes)
        case .later:
            pauses += 1
            if pauses <= Self.mostPauses { return goOnLater() }
            end(with: nil)
        case .end: end(with: search.end())
        case .failed: end(with: nil)
        }
        if tasks.isEmpty {
            // What was read of a full file is more than all that is needed at rest.
            (pause, tasks) = (nil, [])
            Malloc.giveBack()
        } else {
            EventLoop.soon { [weak self] in self?.turn() }
        }
    }

    private func goOnLater() {
        let pause = pause ?? TimerSource { [unowned self] in turn() }
        self.pause = pause
        pause.schedule(atBootNanoseconds: BootClock.now() + HistoryReading.pause.nanoseconds)
    }

    private func end(with action: PastAction?) {
        let task = tasks.removeFirst()
        (next, search, pauses) = (nil, PastActionSearch(), 0)
        if let action { task.tell(action) }
    }
}
