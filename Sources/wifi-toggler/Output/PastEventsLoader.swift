import Platform
import Reporting

/// Finds the last events of each interface in the history when a service starts. Reads one file after the
/// other, in turns on the event loop. A turn takes a few milliseconds at most, and waits for the disk only if
/// ``RotatingFileReader`` must.
final class PastEventsLoader {
    private struct Task {
        let open: () -> () -> HistoryArchive.Piece
        let tell: (PastEvents) -> Void
    }

    /// The most pauses for one file; after that it is skipped. A memory card that is busy may take a second
    /// to answer.
    private static let mostPauses = 500

    /// The tasks in the order of their requests. The file of the first one is being read.
    private var tasks: [Task] = []
    private var next: (() -> HistoryArchive.Piece)?
    private var search = PastEventsSearch()
    private var pauses = 0
    private var pause: TimerSource?

    /// - Parameters:
    ///   - open: opens the history of an interface.
    ///   - tell: called later with what was found. A file that cannot be read is skipped.
    func recall(
        _ open: @escaping () -> () -> HistoryArchive.Piece, _ tell: @escaping (PastEvents) -> Void
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
            // Reading a full file needs more memory than the service uses otherwise.
            (pause, tasks) = (nil, [])
            Malloc.giveBack()
        } else {
            EventLoop.nextTurn { [weak self] in self?.turn() }
        }
    }

    private func goOnLater() {
        let pause = pause ?? TimerSource { [unowned self] in turn() }
        self.pause = pause
        pause.schedule(after: HistoryReading.pause)
    }

    private func end(with events: PastEvents?) {
        let task = tasks.removeFirst()
        (next, search, pauses) = (nil, PastEventsSearch(), 0)
        if let events { task.tell(events) }
    }
}
