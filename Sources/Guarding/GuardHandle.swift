import CLinux
import Glibc
import Model
import Platform

/// The worker's end of a guard: a separate process that raises the link, and restores what it lost, if this
/// process cannot (`GuardMain`).
@MainActor public final class GuardHandle {
    /// Where the guard's answer is awaited.
    public enum Place: Sendable {
        /// In the call: for a one-shot, which has nothing else to do.
        case callingThread
        /// On the event loop.
        case eventLoop
    }

    /// For a guard to get ready: much longer than it takes.
    private static let timeout: Duration = .seconds(10)
    /// For a dismissed guard to exit.
    private static let farewell: Duration = .seconds(1)

    private let process: pid_t
    private let channel: Int32
    private let file: IntentFile
    /// Keep this object until the process has ended.
    private var ending: EventSource?
    private var answer: EventSource?
    private var timer: TimerSource?
    private var done: (@MainActor (Result<Void, Failure>) -> Void)?
    private var lost: (@MainActor () -> Void)?
    private var isReaped = false
    /// The guard has reported that it is ready.
    private var stands = false
    /// The record is on disk.
    private var hasFile = false

    /// Makes the guard by fork(2): call it while no other thread is inside the Swift runtime. The guard gets
    /// ready while this process goes on, and does nothing without a record.
    /// - Parameters:
    ///   - record: the bounce to finish; nil: the record is sent later.
    ///   - file: where the record will be written.
    ///   - locks: the locks that it keeps as long as it works.
    ///   - tell: runs in the guard's process after it has finished the bounce.
    /// - Throws: no process or socket could be made (socketpair(2), fork(2)).
    public init(
        _ interface: InterfaceIndex, _ record: IntentRecord?, _ file: IntentFile, locks: [InterfaceLock],
        tell: @escaping (FinishedBounce, _ isWorkerDead: Bool) -> Void
    ) throws(SystemError) {
        let (ours, theirs) = try GuardChannel.open()
        defer { close(theirs) }
        self.file = file
        channel = ours
        file.prepare()
        do {
            process = try ForkedProcess.start {
                let guardMain = GuardMain(
                    index: interface, channel: theirs, file: file, locks: locks, tell: tell, record: record)
                guardMain.stand()
            }
        } catch {
            close(ours)
            throw error
        }
        StrayProcesses.isOwn(process)
    }

    /// Sends the record (``IntentRecord/bytes``) to a guard that was made without one, once.
    /// - Returns: false: the guard is dead, or does not take it.
    public func give(_ record: [UInt8]) -> Bool {
        GuardChannel.give(record, on: channel, timeout: Self.timeout)
    }

    /// Writes the record once the guard is ready: a record without a guard would stay behind if this process
    /// died.
    /// - Throws: it cannot be written; no file is left.
    public func write(_ record: [UInt8]) throws(SystemError) {
        try file.write(record)
        hasFile = true
    }

    /// Waits until the guard is ready.
    ///
    /// `done` is called once, never inside this call, when the guard is ready or cannot become so. `lost` is
    /// called once if it dies after that without being dismissed.
    /// - Parameter isWatched: whether to notice its death at once; not needed if the link is not taken down.
    /// - Throws: it cannot be watched (pidfd_open(2)).
    public func await(
        _ place: Place, isWatched: Bool, lost: @escaping @MainActor () -> Void,
        done: @escaping @MainActor (Result<Void, Failure>) -> Void
    ) throws(SystemError) {
        if isWatched { try watch() }
        self.lost = lost
        self.done = done
        switch place {
        case .callingThread:
            let result = Self.ask(channel)
            EventLoop.soon { self.answered(result) }
        case .eventLoop: awaitAnswer()
        }
    }

    /// How far the bounce has come.
    public func tell(_ stage: GuardStage) {
        switch stage {
        case .lowered: say(.lowered)
        case .raised:
            file.settle()
            say(.raised)
        }
    }

    /// The bounce is over, or does not take place: removes the record and ends the guard.
    public func dismiss() {
        lost = nil
        done = nil
        removeRecord()
        stands ? say(.dismissed) : end()
    }

    /// Waits until a dismissed guard has exited, and kills it if it does not do so at once: its work is over.
    public func reap() {
        guard !isReaped else { return }
        // Mostly it has exited by now, while this process recorded the result.
        if waitpid(process, nil, WNOHANG) != process { awaitEnd() }
        isReaped = true
        release()
    }

    /// ... and reaps it (waitpid(2)).
    private func awaitEnd() {
        var question = pollfd(fd: channel, events: Int16(POLLIN), revents: 0)
        let milliseconds = Int32(Self.farewell.nanoseconds / 1_000_000)
        // When it exits, its end of the channel is closed; a last message may come before.
        while poll(&question, 1, milliseconds) == 1, Int32(question.revents) & POLLHUP == 0,
            Self.byte(channel) != nil
        {}
        if question.revents == 0 { end() }
        waitpid(process, nil, 0)
    }

    private func end() {
        if !isReaped { kill(process, SIGKILL) }  // not reaped yet, so this is still its number
    }

    /// What the guard has sent and has not been read yet; nil: nothing.
    private static func byte(_ channel: Int32) -> UInt8? {
        var byte: UInt8 = 0
        return recv(channel, &byte, 1, message_dont_wait) == 1 ? byte : nil
    }

    /// The same without blocking: the event loop notices the exit.
    public func reapLater() {
        if !isReaped, ending == nil { try? watch() }
    }

    private func say(_ word: GuardChannel.Word) {
        if !isReaped { GuardChannel.say(word.rawValue, on: channel) }
    }

    /// A record that exists for another reason is not this bounce's.
    private func removeRecord() {
        if hasFile { file.remove() }
    }

    // MARK: Start

    private static func ask(_ channel: Int32) -> Result<Void, Failure> {
        var question = pollfd(fd: channel, events: Int16(POLLIN), revents: 0)
        let milliseconds = Int32(clamping: timeout.nanoseconds / 1_000_000)
        var count = poll(&question, 1, milliseconds)
        while count == -1, errno == EINTR { count = poll(&question, 1, milliseconds) }
        return count > 0 ? hear(channel) : .failure(.guardLate)
    }

    private static func hear(_ channel: Int32) -> Result<Void, Failure> {
        switch byte(channel).flatMap({ GuardChannel.Answer(rawValue: $0) }) {
        case .ready: return .success(())
        case .gone: return .failure(.interfaceGone)
        case nil: return .failure(.guardEnded)
        }
    }

    private func awaitAnswer() {
        let channel = channel
        answer = .reading(channel, owning: false) { self.answered(Self.hear(channel)) }
        timer = TimerSource { self.answered(.failure(.guardLate)) }
        timer?.schedule(after: Self.timeout)
    }

    private func answered(_ result: Result<Void, Failure>) {
        answer?.cancel()
        timer?.cancel()
        (answer, timer) = (nil, nil)
        guard let done else { return }
        self.done = nil
        switch result {
        case .success: stands = true
        case .failure:
            lost = nil
            end()
            if ending == nil { reap() }
        }
        done(result)
    }

    // MARK: End

    /// A descriptor that becomes readable when the process has ended.
    private func watch() throws(SystemError) {
        let handle = try check("pidfd_open") { pidfd_open(process, 0) }
        ending = .reading(handle, owning: true) { self.ended() }
    }

    private func ended() {
        let (lost, done) = (lost, done)
        (self.lost, self.done) = (nil, nil)
        // Its last message may not have been read yet.
        let failure = Self.hear(channel).failure ?? .guardEnded
        reap()
        if let done { done(.failure(failure)) } else { lost?() }
    }

    private func release() {
        ending?.cancel()
        answer?.cancel()
        timer?.cancel()
        (ending, answer, timer) = (nil, nil, nil)
        close(channel)
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}

extension Failure {
    fileprivate static let interfaceGone = Failure(
        kind: .noSuchDevice, code: ENODEV, description: String(cString: strerror(ENODEV)))
    /// The guard's process did not report in time that it is ready.
    fileprivate static let guardLate = Failure(
        kind: .timedOut, description: "the guard's process did not answer")
}
