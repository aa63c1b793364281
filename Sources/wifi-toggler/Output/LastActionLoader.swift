import Platform
import Reporting

/// Finds the last action on each interface in the history, when a service begins: one file after the other,
/// in turns on the event loop, none of which takes more than a few milliseconds or waits for a disk.
final class LastActionLoader {
    private struct Task {
        let open: () -> () -> HistoryArchive.Piece
        let tell: (PastAction) -> Void
    }

    /// The most pauses for one file, since a card that is busy writing takes a second; after that it gives
    /// up.
    private static let mostPauses = 500

    /// In the order in which they came; the first one is being read.
    private var tasks: [Task] = []
    private var next: (() -> HistoryArchive.Piece)?
    private var search = PastActionSearch()
    private var pauses = 0
    private var pause: TimerSource?

    /// - Parameters:
    ///   - open: opens the history of an interface.
    ///   - tell: called later, if there is one. A damaged or unreadable file has no other effect.
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
            // The memory for reading a full file is more than the service needs at rest.
            (pause, tasks) = (nil, [])
            Malloc.giveBack()
        } else {
            EventLoop.soon { [weak self] in self?.turn() }
        }
    }

    private func goOnLater() {
        let pause = pause ?? TimerSource { [unowned self] in turn() }
        self.pause = pause
        pause.schedule(after: HistoryReading.pause)
    }

    private func end(with action: PastAction?) {
        let task = tasks.removeFirst()
        (next, search, pauses) = (nil, PastActionSearch(), 0)
        if let action { task.tell(action) }
    }
}
