import CLinux
import Glibc
import Platform
import Toggling

/// The worker's end of a guard: a process of its own that raises the link, and puts back what it lost, if this
/// one cannot (`Sentinel`).
@MainActor public final class GuardProcess {
    /// Where the guard's answer is awaited.
    public enum Place: Sendable {
        /// In the call, for a one-shot, which has nothing else to do.
        case callingThread
        /// On the event loop.
        case eventLoop
    }

    /// For a guard to stand: far longer than it takes.
    private static let patience: Duration = .seconds(10)

    private let process: pid_t
    private let channel: Int32
    private let file: IntentFile
    /// Hold this object until the process has ended.
    private var end: MainQueueSource?
    private var answer: MainQueueSource?
    private var timer: TimerSource?
    private var done: (@MainActor (Result<Void, Failure>) -> Void)?
    private var lost: (@MainActor () -> Void)?
    private var isReaped = false
    /// A record was given, and may be on the disk.
    private var hasRecord = false
    /// The guard lived to be given it.
    private var tookRecord = false

    /// Makes the guard by fork(2): to be called while no other thread is inside the Swift runtime. It gets ready
    /// while this process goes on, and does nothing before it is given a record.
    /// - Parameters:
    ///   - file: where the record will be written.
    ///   - locks: what it keeps locked as long as it works.
    ///   - tell: runs in the guard's process after a rescue.
    /// - Throws: no process or socket could be made (socketpair(2), fork(2)).
    public init(
        _ interface: InterfaceIndex, _ file: IntentFile, locks: [InstanceLock],
        tell: @escaping (Rescue, _ isWorkerDead: Bool) -> Void
    ) throws(SystemError) {
        let (ours, theirs) = try GuardChannel.open(patience: Self.patience)
        defer { close(theirs) }
        self.file = file
        channel = ours
        do {
            process = try ForkedProcess.start {
                Sentinel(index: interface, channel: theirs, file: file, locks: locks, tell: tell).stand()
            }
        } catch {
            close(ours)
            throw error
        }
    }

    /// From now on the guard cleans up after this process. It has the record before the file is written: a
    /// record without a guard would be left behind by a death in between.
    /// - Throws: the record cannot be written.
    public func give(_ record: IntentRecord) throws(SystemError) {
        let bytes = record.bytes
        hasRecord = true
        tookRecord = GuardChannel.give(bytes, on: channel)
        try file.write(bytes)
    }

    /// Waits until the guard stands.
    ///
    /// `done` is called once, never inside this call, when the guard stands or cannot. `lost` is called once if
    /// it dies after that, undismissed.
    /// - Parameter isWatched: whether its death is to be noticed at once; not needed where the link is not held
    ///   down.
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

    /// The bounce is over: the record goes, and so does the guard.
    public func dismiss() {
        lost = nil
        done = nil
        removeRecord()
        say(.dismissed)
    }

    /// Waits until a dismissed guard has ended, which it does at once.
    public func reap() {
        guard !isReaped else { return }
        isReaped = true
        waitpid(process, nil, 0)
        release()
    }

    /// The same without waiting: the event loop notices the end.
    public func reapLater() {
        if !isReaped, end == nil { try? watch() }
    }

    private func say(_ word: GuardChannel.Word) {
        if !isReaped { GuardChannel.say(word.rawValue, on: channel) }
    }

    /// One that is there for another reason is none of ours.
    private func removeRecord() {
        if hasRecord { file.remove() }
    }

    // MARK: Its beginning

    private static func ask(_ channel: Int32) -> Result<Void, Failure> {
        var question = pollfd(fd: channel, events: Int16(POLLIN), revents: 0)
        let milliseconds = Int32(clamping: patience.nanoseconds / 1_000_000)
        var count = poll(&question, 1, milliseconds)
        while count == -1, errno == EINTR { count = poll(&question, 1, milliseconds) }
        return count > 0 ? hear(channel) : .failure(.guardLate)
    }

    private static func hear(_ channel: Int32) -> Result<Void, Failure> {
        var octet: UInt8 = 0
        guard recv(channel, &octet, 1, Int32(MSG_DONTWAIT)) == 1 else { return .failure(.guardEnded) }
        switch GuardChannel.Answer(rawValue: octet) {
        case .ready: return .success(())
        case .gone: return .failure(.interfaceGone)
        case nil: return .failure(.guardEnded)
        }
    }

    private func awaitAnswer() {
        let channel = channel
        answer = .reading(channel, owning: false) { self.answered(Self.hear(channel)) }
        timer = TimerSource { self.answered(.failure(.guardLate)) }
        timer?.schedule(atBootNanoseconds: BootClock.now() + Self.patience.nanoseconds)
    }

    private func answered(_ result: Result<Void, Failure>) {
        answer?.cancel()
        timer?.cancel()
        (answer, timer) = (nil, nil)
        guard let done else { return }
        self.done = nil
        let result = tookRecord ? result : .failure(result.failure ?? .guardLate)
        if case .failure = result {
            lost = nil
            removeRecord()
            kill(process, SIGKILL)  // not reaped yet, so this is still its number
            if end == nil { reap() }
        }
        done(result)
    }

    // MARK: Its end

    /// A descriptor that can be read when the process has ended.
    private func watch() throws(SystemError) {
        let handle = try check("pidfd_open") { pidfd_open(process, 0) }
        end = .reading(handle, owning: true) { self.ended() }
    }

    private func ended() {
        let (lost, done) = (lost, done)
        (self.lost, self.done) = (nil, nil)
        // Its last word may not have been heard yet.
        let failure = Self.hear(channel).failure ?? .guardEnded
        if done != nil { removeRecord() }
        reap()
        if let done { done(.failure(failure)) } else { lost?() }
    }

    private func release() {
        end?.cancel()
        answer?.cancel()
        timer?.cancel()
        (end, answer, timer) = (nil, nil, nil)
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
        kind: .noSuchDevice, code: ENODEV, words: String(cString: strerror(ENODEV)))
    /// The guard's process did not say in time that it stands.
    fileprivate static let guardLate = Failure(kind: .timedOut, words: "the guard's process did not answer")
}
