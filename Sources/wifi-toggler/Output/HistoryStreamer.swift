import Platform
import Reporting
import Service

/// Where clients of the control socket are told the history, a few at a time, in turns on the event loop.
/// Between two turns it does whatever else there is to do; and who does not read has no turn.
final class HistoryStreamer {
    private struct Task {
        let client: Int
        let reading: HistoryReading
        /// The disk was not ready.
        var isPaused = false
    }

    /// What is told may be as large as two full files each time.
    private static let mostAtOnce = 4
    /// For who does not read while others wait, in nanoseconds.
    private static let timeout: Int64 = 1_000_000_000

    /// Whether this client has yet to read what was sent.
    var isWaiting: ((Int) -> Bool)?
    var tell: (([UInt8], Int) -> Void)?
    /// The last word.
    var end: (([UInt8], Int) -> Void)?
    var sendAway: ((Int) -> Void)?

    /// In the order in which they came; those behind the first few have not begun.
    private var tasks: [Task] = []
    private var isTurnDue = false
    private var pause: TimerSource?
    private var deadline: TimerSource?

    func begin(_ reading: HistoryReading, for client: Int) {
        tasks.append(Task(client: client, reading: reading))
        goOn()
    }

    func forget(_ client: Int) {
        guard let place = tasks.firstIndex(where: { $0.client == client }) else { return }
        tasks.remove(at: place)
        if tasks.isEmpty {
            deadline?.cancel()
            deadline = nil
            // What was read of a full file is more than all that is needed at rest.
            Malloc.giveBack()
        }
        goOn()
    }

    /// Somebody can be told more, perhaps.
    func goOn() {
        guard !isTurnDue, !tasks.isEmpty else { return }
        isTurnDue = true
        EventLoop.soon { [unowned self] in
            isTurnDue = false
            turn()
        }
    }

    private func turn() {
        let place = tasks.prefix(Self.mostAtOnce).firstIndex {
            !$0.isPaused && isWaiting?($0.client) == false
        }
        guard let place else { return waitForReaders() }
        deadline?.cancel()
        deadline = nil
        let client = tasks[place].client
        switch tasks[place].reading.turn() {
        case .more(let bytes): tell?(bytes, client)
        case .later: waitForDisk(at: place)
        case .over(let bytes):
            end?(bytes, client)
            forget(client)
        }
        goOn()
    }

    /// Who has not read until the deadline makes room for who came later.
    private func waitForReaders() {
        guard tasks.count > Self.mostAtOnce, deadline == nil else { return }
        deadline = TimerSource { [unowned self] in
            deadline = nil
            let idle = tasks.prefix(Self.mostAtOnce).first { !$0.isPaused }
            if let idle { sendAway?(idle.client) } else { goOn() }
        }
        deadline?.schedule(atBootNanoseconds: BootClock.now() + Self.timeout)
    }

    private func waitForDisk(at place: Int) {
        tasks[place].isPaused = true
        guard pause == nil else { return }
        pause = TimerSource { [unowned self] in
            pause = nil
            for place in tasks.indices { tasks[place].isPaused = false }
            goOn()
        }
        pause?.schedule(atBootNanoseconds: BootClock.now() + HistoryReading.pause.nanoseconds)
    }
}
