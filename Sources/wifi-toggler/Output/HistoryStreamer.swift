import Platform
import Reporting

/// Sends the history to clients of the control socket, a few at a time, in short turns on the event loop.
/// Between two turns, the loop handles other events. A client that does not read gets no turn.
final class HistoryStreamer {
    private struct Task {
        let client: Int
        let reading: HistoryReading
        /// Whether the task waits because its data was not in memory.
        var isPaused = false
    }

    /// The most clients that are served at the same time. The data for each may be as large as two full
    /// files.
    private static let mostAtOnce = 4
    /// How long a client may refuse to read while others wait.
    private static let timeout: Duration = .seconds(1)

    /// Whether a client has not read everything that was sent yet.
    var isWaiting: ((Int) -> Bool)?
    var tell: (([UInt8], Int) -> Void)?
    /// Sends the last reply to a client.
    var end: (([UInt8], Int) -> Void)?
    var sendAway: ((Int) -> Void)?

    /// The tasks in the order of their requests. Those after the first ``mostAtOnce`` have not started.
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
            // Reading a full file needs more memory than the service uses otherwise.
            Malloc.giveBack()
        }
        goOn()
    }

    /// Continues, because a client may have read.
    func goOn() {
        guard !isTurnDue, !tasks.isEmpty else { return }
        isTurnDue = true
        EventLoop.nextTurn { [unowned self] in
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

    /// Disconnects a client that has not read before the deadline, if a later client waits.
    private func waitForReaders() {
        guard tasks.count > Self.mostAtOnce, deadline == nil else { return }
        deadline = TimerSource { [unowned self] in
            deadline = nil
            let idle = tasks.prefix(Self.mostAtOnce).first { !$0.isPaused }
            if let idle { sendAway?(idle.client) } else { goOn() }
        }
        deadline?.schedule(after: Self.timeout)
    }

    private func waitForDisk(at place: Int) {
        tasks[place].isPaused = true
        guard pause == nil else { return }
        pause = TimerSource { [unowned self] in
            pause = nil
            for place in tasks.indices { tasks[place].isPaused = false }
            goOn()
        }
        pause?.schedule(after: HistoryReading.pause)
    }
}
