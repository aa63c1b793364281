import CLinux
import Glibc
import Model
import Platform

/// A guard, as seen by the worker, which is the process that bounces the link. The guard is a process of its own
/// (`GuardMain`), which sets the link up and restores the lost items if the worker cannot.
@MainActor public final class GuardHandle {
    /// Where to wait for the guard's answer.
    public enum Place: Sendable {
        /// Inside the call: for a one-shot command, which has nothing else to do.
        case callingThread
        /// On the event loop: for a service.
        case eventLoop
    }

    /// How long a guard may take to get ready; it normally takes much less.
    private static let timeout: Duration = .seconds(10)
    /// How long a dismissed guard may take to exit.
    private static let exitTimeout: Duration = .seconds(1)

    private let process: pid_t
    private let channel: Int32
    private let file: IntentFile
    /// The source of the exit event. It keeps this object alive until the process has ended.
    private var ending: EventSource?
    private var answer: EventSource?
    private var timer: TimerSource?
    private var done: (@MainActor (Result<Void, Failure>) -> Void)?
    private var lost: (@MainActor () -> Void)?
    private var isReaped = false
    /// The status of the guard's process after its end (waitpid(2)).
    private var status: Int32 = 0
    /// Whether the guard has reported that it is ready.
    private var isReady = false
    /// Whether this object has written the record to its file.
    private var hasFile = false

    /// Creates the guard by fork(2). No other thread may be inside the Swift runtime during this call. The
    /// guard gets ready while this process continues. Without a record, the guard does nothing.
    /// - Parameters:
    ///   - record: the bounce that the guard may have to finish; nil if the record is sent later.
    ///   - file: the file to which the record will be written.
    ///   - locks: the locks that the guard inherits and keeps as long as it works.
    ///   - tell: called in the guard's process with the result of finishing the bounce.
    /// - Throws: the error of socketpair(2) or fork(2).
    public init(
        _ interface: InterfaceIndex, _ record: IntentRecord?, _ file: IntentFile, locks: [InterfaceLock],
        tell: @escaping (FinishedBounce, _ isWorkerDead: Bool) -> Void
    ) throws(SystemError) {
        let (ours, theirs) = try GuardChannel.open()
        defer { close(theirs) }
        self.file = file
        channel = ours
        file.prepare()
        process = try closingOnError(ours) { () throws(SystemError) in
            try ForkedProcess.start {
                let guardMain = GuardMain(
                    index: interface, channel: theirs, file: file, locks: locks, tell: tell, record: record)
                guardMain.run()
            }
        }
        StrayProcesses.isOwn(process)
    }

    /// Sends the record (``IntentRecord/bytes``) to a guard that was created without one. Call it at most
    /// once.
    /// - Returns: false if the guard is dead, or does not take the record.
    public func send(_ record: [UInt8]) -> Bool {
        GuardChannel.sendOrder(record, on: channel, timeout: Self.timeout)
    }

    /// Writes the record to its file. Call this only when the guard is ready: otherwise the record would stay
    /// behind if this process died.
    /// - Parameter isPublic: whether every user may read it.
    /// - Throws: the record cannot be written. No file is left.
    public func write(_ record: [UInt8], isPublic: Bool = false) throws(SystemError) {
        try file.write(record, isPublic: isPublic)
        hasFile = true
    }

    /// Replaces the record of an earlier guard of the same bounce by that of this guard, and dismisses the
    /// earlier guard. Call this only when this guard is ready.
    /// - Parameter isPublic: whether every user may read it.
    /// - Throws: the record cannot be written. The earlier guard stays.
    public func replace(
        _ earlier: GuardHandle, _ record: [UInt8], isPublic: Bool
    ) throws(SystemError) {
        try file.replace(with: record, isPublic: isPublic)
        hasFile = true
        if earlier.hasFile { earlier.file.wasReplaced(by: file) }
        earlier.hasFile = false
        earlier.dismiss()
    }

    /// Waits until the guard is ready.
    ///
    /// `done` is called once, never inside this call, when the guard is ready, or when it cannot become
    /// ready. `lost` is called once if the guard dies after that without being dismissed.
    /// - Parameter isWatched: whether to notice the guard's death at once, and call `lost`. This is not
    ///   necessary if the link is not kept down.
    /// - Throws: the error of pidfd_open(2).
    public func await(
        _ place: Place, isWatched: Bool, lost: @escaping @MainActor () -> Void,
        done: @escaping @MainActor (Result<Void, Failure>) -> Void
    ) throws(SystemError) {
        if isWatched { try watch() }
        self.lost = lost
        self.done = done
        switch place {
        case .callingThread:
            let result = Self.waitForAnswer(channel)
            EventLoop.soon { self.answered(result) }
        case .eventLoop: awaitAnswer()
        }
    }

    /// Tells the guard how far the bounce has got.
    public func tell(_ stage: GuardStage) {
        switch stage {
        case .lowered: send(.lowered)
        case .raised:
            file.settle()
            send(.raised)
        }
    }

    /// Ends the guard and removes the record, because the bounce is over, or does not take place.
    public func dismiss() {
        lost = nil
        done = nil
        removeRecord()
        isReady ? send(.dismissed) : end()
    }

    /// Waits until a dismissed guard has exited. Kills the guard if that takes too long. This does no harm,
    /// because its work is done.
    public func reap() {
        guard !isReaped else { return }
        // Usually the guard has exited while this process recorded the result.
        if waitpid(process, &status, WNOHANG) != process { awaitEnd() }
        StrayProcesses.isReaped(process)
        isReaped = true
        release()
    }

    /// Waits for the guard's exit, and reaps its process (waitpid(2)).
    private func awaitEnd() {
        var question = pollfd(fd: channel, events: Int16(POLLIN), revents: 0)
        let milliseconds = Int32(Self.exitTimeout.nanoseconds / 1_000_000)
        // The exit of the guard closes its end of the channel. A last message may arrive before.
        while poll(&question, 1, milliseconds) == 1, Int32(question.revents) & POLLHUP == 0,
            (try? Self.byte(channel)) != nil
        {}
        if question.revents == 0 { end() }
        waitpid(process, &status, 0)
    }

    private func end() {
        if !isReaped { kill(process, SIGKILL) }  // not reaped yet, so this is still its number
    }

    /// The next byte that the guard has sent; nil if it has closed its end of the channel. Fails with EAGAIN
    /// if there is none yet.
    private static func byte(_ channel: Int32) throws(SystemError) -> UInt8? {
        var byte: UInt8 = 0
        let count = try checkCount("recv") { recv(channel, &byte, 1, message_dont_wait) }
        return count == 1 ? byte : nil
    }

    /// Reaps a dismissed guard without blocking: the event loop notices its exit.
    public func reapLater() {
        if !isReaped, ending == nil { try? watch() }
    }

    private func send(_ message: GuardChannel.Message) {
        // If the other end is closed, the next read reports it.
        if !isReaped { try? GuardChannel.sendByte(message.rawValue, on: channel) }
    }

    /// Removes the record if this object has written it. Any other record belongs to another bounce.
    private func removeRecord() {
        if hasFile { file.remove() }
    }

    // MARK: Start

    private static func waitForAnswer(_ channel: Int32) -> Result<Void, Failure> {
        var question = pollfd(fd: channel, events: Int16(POLLIN), revents: 0)
        let milliseconds = Int32(clamping: timeout.nanoseconds / 1_000_000)
        do throws(SystemError) {
            let count = try check("poll") { poll(&question, 1, milliseconds) }
            return count > 0 ? readAnswer(channel) : .failure(.guardLate)
        } catch {
            return .failure(Failure(error))
        }
    }

    private static func readAnswer(_ channel: Int32) -> Result<Void, Failure> {
        let byte: UInt8?
        do throws(SystemError) { byte = try Self.byte(channel) } catch { return .failure(Failure(error)) }
        switch byte.flatMap({ GuardChannel.Answer(rawValue: $0) }) {
        case .ready: return .success(())
        case .gone: return .failure(.interfaceGone)
        case nil: return .failure(.guardEnded)
        }
    }

    private func awaitAnswer() {
        let channel = channel
        answer = .reading(channel, owning: false) { self.answered(Self.readAnswer(channel)) }
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
        case .success:
            isReady = true
            done(result)
        case .failure(let failure):
            lost = nil
            end()
            if ending == nil || failure == .guardEnded { reap() }
            done(.failure(explained(failure)))
        }
    }

    /// The failure. If it is that the guard's process, which has been reaped, ended before it was ready, the
    /// exit status adds the reason (`GuardMain`).
    private func explained(_ failure: Failure) -> Failure {
        guard failure == .guardEnded, case .exited(let code) = ChildProcess.Ending(status: status), code != 0
        else { return failure }
        let error = SystemError(call: "_exit", code: code)
        return Failure(
            kind: failure.kind, code: code, description: "\(failure.description): \(error.description)")
    }

    // MARK: End

    /// Watches for the end of the process (pidfd_open(2)).
    private func watch() throws(SystemError) {
        let handle = try check("pidfd_open") { pidfd_open(process, 0) }
        ending = .reading(handle, owning: true) { self.ended() }
    }

    private func ended() {
        let (lost, done) = (lost, done)
        (self.lost, self.done) = (nil, nil)
        // The guard's last message may not have been read yet.
        let failure = Self.readAnswer(channel).failure ?? .guardEnded
        reap()
        if let done { done(.failure(explained(failure))) } else { lost?() }
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
    /// Converts the error of a call by which the worker hears the guard.
    fileprivate init(_ error: SystemError) {
        self.init(kind: .other, code: error.code, description: error.description)
    }

    fileprivate static let interfaceGone = Failure(
        kind: .noSuchDevice, code: ENODEV, description: String(cString: strerror(ENODEV)))
}
