import CLinux
import Glibc
import Model
import Netlink
import Platform
import Recovery

/// The guard's main loop. Waits for messages of the worker, and finishes the bounce if the worker dies or
/// hangs.
struct GuardLoop {
    /// The additional time for taking the link down. A slow driver has been seen to need seconds.
    private static let loweringMargin: Duration = .seconds(7)
    /// The additional time that a busy machine may need.
    private static let margin: Duration = .seconds(2)
    /// The additional time that a driver may need to leave its device, or to become ready on it.
    private static let driverMargin: Duration = .seconds(20)
    /// How long to repeat the attempt to set the link up after the worker has died. No other process is left
    /// to try.
    private static let timeout: Duration = .seconds(600)

    private enum Stage { case armed, lowered, raised }

    private enum Event {
        case message(GuardChannel.Message)
        case timeOut, death
    }

    private let record: IntentRecord
    private let channel: Int32
    private let file: IntentFile
    private let locks: [InterfaceLock]
    private let tell: (FinishedBounce, _ isWorkerDead: Bool) -> Void
    private var stage = Stage.armed
    /// The time at which the worker is late, in nanoseconds of CLOCK_BOOTTIME; nil if the guard only waits
    /// for messages and for the worker's death.
    private var deadline: Int64?

    /// - Parameter tell: called with the result of finishing the bounce. `isWorkerDead` is false if the
    ///   worker is alive, but late.
    init(
        record: IntentRecord, channel: Int32, file: IntentFile, locks: [InterfaceLock],
        tell: @escaping (FinishedBounce, _ isWorkerDead: Bool) -> Void
    ) {
        self.record = record
        self.channel = channel
        self.file = file
        self.locks = locks
        self.tell = tell
    }

    /// Runs until the worker dismisses the guard, or has died and the guard has finished the bounce.
    mutating func run(_ kernel: NetlinkSession) -> Never {
        var kernel = kernel
        waitFor(record.order.downTime + loweringMargin)
        while true {
            switch next() {
            case .message(.lowered):
                stage = .lowered
                waitFor(record.order.downTime + raisingMargin)
            case .message(.raised):
                stage = .raised
                waitFor(record.order.settle + Self.margin)
            case .message(.dismissed): _exit(EXIT_SUCCESS)
            case .timeOut: finishForLateWorker(&kernel)
            // A worker announces only one bounce. After a second order, it is treated as dead.
            case .message(.order), .death: finishForDeadWorker(&kernel)
            }
        }
    }

    private mutating func waitFor(_ duration: Duration) { deadline = BootClock.now() + duration.nanoseconds }

    /// The additional time, after the down time of the bounce, within which the worker must set the link up.
    private var raisingMargin: Duration {
        switch record.undo {
        case .link, .radio: Self.margin
        case .driver: Self.margin + Self.driverMargin
        case .reset: Self.margin + BusReset.timeout
        case .unit: Self.margin + ResetUnit.timeout
        }
    }

    /// The same as `raisingMargin`, while the worker has not reported yet that the link is down.
    private var loweringMargin: Duration { Self.loweringMargin + raisingMargin - Self.margin }

    // MARK: Receiving

    private func next() -> Event {
        guard isReadable(until: deadline) else { return .timeOut }
        // The worker cannot be heard any more if the channel fails.
        let byte = try? GuardChannel.receiveByte(from: channel)
        return byte.flatMap { GuardChannel.Message(rawValue: $0) }.map { .message($0) } ?? .death
    }

    private func isReadable(until deadline: Int64?) -> Bool {
        var question = pollfd(fd: channel, events: Int16(POLLIN), revents: 0)
        while true {
            let duration = deadline.map { max(0, $0 - BootClock.now()) / 1_000_000 + 1 } ?? -1
            let count = poll(&question, 1, Int32(clamping: duration))
            if count > 0 { return true }
            if let deadline, BootClock.now() >= deadline { return false }
        }
    }

    // MARK: Finishing

    private var recordStage: IntentFile.Stage { stage == .raised ? .settling : .keptDown }

    /// Handles a worker that is alive, but late: finishes the bounce for the worker, and then waits for the
    /// worker's next message.
    private mutating func finishForLateWorker(_ kernel: inout NetlinkSession) {
        let channel = channel
        let work = BounceFinisher(record: record, timeout: .zero) { duration in
            // A worker that sends something, or dies, is no longer late.
            var question = pollfd(fd: channel, events: Int16(POLLIN), revents: 0)
            return poll(&question, 1, Int32(clamping: duration.nanoseconds / 1_000_000)) == 0
        }
        let finishedBounce = work.run(&kernel, from: recordStage)
        if case .finished(wasDown: true, _) = finishedBounce { tell(finishedBounce, false) }
        switch (stage, finishedBounce) {
        case (.lowered, .finished), (.raised, _), (_, .gone), (_, .leftDown):
            stage = .raised
            deadline = nil
        // The worker may still be about to take the link down, or the kernel refuses to set it up. Try again
        // later.
        case (.armed, _), (.lowered, .notRaised): waitFor(record.order.downTime + loweringMargin)
        }
    }

    /// Handles the death of the worker: takes over its work, and exits.
    private func finishForDeadWorker(_ kernel: inout NetlinkSession) -> Never {
        for lock in locks { try? lock.sign("wifi-toggler guard") }
        let work = BounceFinisher(
            record: record, timeout: Self.timeout, isBegun: stage != .armed, pause: BounceFinisher.sleep,
            raised: { file.settle() })
        let finishedBounce = work.run(&kernel, from: recordStage)
        if finishedBounce.isOver { file.remove() }
        tell(finishedBounce, true)
        _exit(finishedBounce.isOver ? EXIT_SUCCESS : EXIT_FAILURE)
    }
}
