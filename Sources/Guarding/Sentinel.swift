import CLinux
import Glibc
import Netlink
import Platform
import Toggling

/// The guard's own process: waits for the worker's words, and finishes the bounce if the worker dies or hangs.
struct Sentinel {
    /// What the worker says, a byte each. The end of the channel without `dismissed` is its death.
    enum Word: UInt8 {
        case lowered = 0x6c  // l
        case raised = 0x72  // r
        case dismissed = 0x64  // d
    }

    /// What the guard says, once: it stands, or there is no such interface.
    static let ready: UInt8 = 0x67  // g
    static let gone: UInt8 = 0x6e  // n

    /// Beyond the hold: what a slow driver takes to stop (seconds have been seen), where the worker has not
    /// said yet that the link is down.
    private static let loweringMargin: Duration = .seconds(7)
    /// Beyond the hold and beyond settling: what a busy machine takes to get round to it.
    private static let margin: Duration = .seconds(2)
    /// How long a raise that the kernel refuses is tried again when nobody else is left to try.
    private static let patience: Duration = .seconds(600)

    private enum Stage { case armed, lowered, raised }

    private enum Message {
        case word(Word)
        case timeOut, death
    }

    let channel: Int32
    let record: IntentRecord
    let file: IntentFile
    let locks: [InstanceLock]
    /// Tells how a rescue ended. The worker may be hung, not dead.
    let tell: (Rescue, _ isWorkerDead: Bool) -> Void
    private var stage = Stage.armed
    /// On the boot-time clock, in nanoseconds; nil: only words and death are waited for.
    private var deadline: Int64?

    init(
        channel: Int32, record: IntentRecord, file: IntentFile, locks: [InstanceLock],
        tell: @escaping (Rescue, Bool) -> Void
    ) {
        self.channel = channel
        self.record = record
        self.file = file
        self.locks = locks
        self.tell = tell
    }

    /// To be called in the copy of the worker that is to be the guard.
    mutating func stand() -> Never {
        let kept = [STDERR_FILENO, channel, file.descriptor] + locks.map(\.descriptor)
        ForkedProcess.detach(named: "wt-guard", keeping: kept)
        ForkedProcess.askToBeSpared()
        Capabilities.keepNetworkAdministrationAlone()
        var kernel = open()
        announce(Self.ready)
        waitFor(record.order.hold + Self.loweringMargin)
        while true {
            switch next() {
            case .word(.lowered):
                stage = .lowered
                waitFor(record.order.hold + Self.margin)
            case .word(.raised):
                stage = .raised
                waitFor(record.order.settle + Self.margin)
            case .word(.dismissed): _exit(EXIT_SUCCESS)
            case .timeOut: relieve(&kernel)
            case .death: succeed(&kernel)
            }
        }
    }

    /// Whoever guards an interface has seen it.
    private func open() -> NetlinkSession {
        do throws(Failure) {
            var kernel = try NetlinkSession()
            _ = try kernel.link(record.index)
            return kernel
        } catch {
            if error.kind == .noSuchDevice {
                announce(Self.gone)
                // Should the worker be dead as well: there is nothing to raise any more.
                file.remove()
            }
            _exit(EXIT_FAILURE)
        }
    }

    /// A worker that does not hear it is dead, which is met next.
    private func announce(_ word: UInt8) {
        var byte = word
        send(channel, &byte, 1, Int32(MSG_NOSIGNAL))
    }

    private mutating func waitFor(_ span: Duration) { deadline = BootClock.now() + span.nanoseconds }

    // MARK: Listening

    private func next() -> Message {
        guard isReadable(until: deadline) else { return .timeOut }
        var byte: UInt8 = 0
        while true {
            switch recv(channel, &byte, 1, 0) {
            case 1: return Word(rawValue: byte).map { .word($0) } ?? .death
            case -1 where errno == EINTR: continue
            default: return .death
            }
        }
    }

    private func isReadable(until deadline: Int64?) -> Bool {
        var question = pollfd(fd: channel, events: Int16(POLLIN), revents: 0)
        while true {
            let span = deadline.map { max(0, $0 - BootClock.now()) / 1_000_000 + 1 } ?? -1
            let count = poll(&question, 1, Int32(clamping: span))
            if count > 0 { return true }
            if let deadline, BootClock.now() >= deadline { return false }
        }
    }

    // MARK: Finishing

    private var recordStage: IntentFile.Stage { stage == .raised ? .settling : .held }

    /// The worker lives and is late: what it was to do is done in its place, and waited for what becomes of it.
    private mutating func relieve(_ kernel: inout NetlinkSession) {
        let channel = channel
        let work = RescueWork(record: record, patience: .zero) { span in
            // A worker that says something, or dies, is not late any more.
            var question = pollfd(fd: channel, events: Int16(POLLIN), revents: 0)
            return poll(&question, 1, Int32(clamping: span.nanoseconds / 1_000_000)) == 0
        }
        let rescue = work.run(&kernel, from: recordStage)
        if case .finished(wasDown: true, _) = rescue { tell(rescue, false) }
        switch (stage, rescue) {
        case (.lowered, .finished), (.raised, _), (_, .gone), (_, .leftDown):
            stage = .raised
            deadline = nil
        // It may still be about to lower the link, or the kernel refuses to raise it: once more.
        case (.armed, _), (.lowered, .notRaised): waitFor(record.order.hold + Self.loweringMargin)
        }
    }

    /// The worker is dead: its work is ours.
    private func succeed(_ kernel: inout NetlinkSession) -> Never {
        for lock in locks { try? lock.sign("wifi-toggler guard") }
        let work = RescueWork(record: record, patience: Self.patience, pause: RescueWork.sleep)
        let rescue = work.run(&kernel, from: recordStage)
        if rescue.isOver { file.remove() }
        tell(rescue, true)
        _exit(rescue.isOver ? EXIT_SUCCESS : EXIT_FAILURE)
    }
}
