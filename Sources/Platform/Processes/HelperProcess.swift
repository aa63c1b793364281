import CLinux
import Glibc

/// A program of this project that runs beside the event loop. Its standard input is one end of a socket that
/// preserves message boundaries (SOCK_SEQPACKET, unix(7)). It inherits no other descriptor.
@MainActor public final class HelperProcess {
    /// How long a dismissed helper may take to exit before it is killed.
    private static let grace: Duration = .seconds(2)
    /// The most messages that are read before the event loop handles other events.
    private static let readsAtOnce = 16

    private let process: pid_t
    private let channel: Int32
    private let longest: Int
    private var received: (@MainActor ([UInt8]) -> Void)?
    private var ended: (@MainActor (ChildProcess.Ending) -> Void)?
    private var exitSource: EventSource?
    private var channelSource: EventSource?
    private var timer: TimerSource?

    /// Starts the program at an absolute path, without arguments and environment. The object keeps itself
    /// alive until the process was reaped.
    /// - Parameters:
    ///   - longest: the most bytes of a message from the helper. A longer message is cut to one byte more.
    ///   - received: called with each message, but not after ``dismiss()``.
    ///   - ended: called if the helper exits without being dismissed. No message follows.
    /// - Throws: the program could not be started.
    public static func start(
        _ path: String, longest: Int, received: @escaping @MainActor ([UInt8]) -> Void,
        ended: @escaping @MainActor (ChildProcess.Ending) -> Void
    ) throws(SystemError) -> HelperProcess {
        var ends: [Int32] = [-1, -1]
        try check("socketpair") {
            socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
        }
        defer { close(ends[1]) }
        return try closingOnError(ends[0]) { () throws(SystemError) in
            let process = try Spawn.start(path, [], [:], input: ends[1])
            StrayProcesses.isOwn(process)
            let handle = try ChildProcess.handle(of: process)
            let helperProcess = HelperProcess(
                process: process, channel: ends[0], longest: longest, received: received, ended: ended)
            helperProcess.watch(handle)
            return helperProcess
        }
    }

    private init(
        process: pid_t, channel: Int32, longest: Int, received: @escaping @MainActor ([UInt8]) -> Void,
        ended: @escaping @MainActor (ChildProcess.Ending) -> Void
    ) {
        self.process = process
        self.channel = channel
        self.longest = longest
        self.received = received
        self.ended = ended
    }

    /// Sends one message without waiting.
    /// - Throws: the message was not sent: EAGAIN if too many messages are unread, EPIPE if the helper has
    ///   closed its end.
    public func send(_ message: [UInt8]) throws(SystemError) {
        guard channelSource != nil else { throw SystemError(call: "send", code: EPIPE) }
        try checkCount("send") {
            Glibc.send(channel, message, message.count, send_no_signal | message_dont_wait)
        }
    }

    /// Closes the channel, which tells the helper to exit. Kills the helper if it does not exit.
    public func dismiss() {
        (received, ended) = (nil, nil)
        closeChannel()
        guard exitSource != nil, timer == nil else { return }
        timer = TimerSource { self.kill() }
        timer?.schedule(after: Self.grace)
    }

    /// Kills the helper at once. `ended` is called when its process has ended.
    public func kill() {
        // The helper is not reaped yet, so its number, which is also the number of its group, is not reused.
        if exitSource != nil { Glibc.kill(-process, SIGKILL) }
    }

    private func watch(_ handle: Int32) {
        ChildProcess.endAtExit(process)
        // The source keeps this object alive until the helper is reaped.
        exitSource = .reading(handle, owning: true) { self.exited() }
        channelSource = .reading(channel, owning: true) { [weak self] in self?.read() }
    }

    private func read() {
        for _ in 0..<Self.readsAtOnce {
            guard channelSource != nil else { return }
            var bytes = [UInt8](repeating: 0, count: longest + 1)
            let count = recv(channel, &bytes, bytes.count, message_dont_wait)
            if count > 0 {
                received?(Array(bytes.prefix(count)))
            } else if count == -1, errno == EAGAIN || errno == EINTR {
                return
            } else {
                // A helper that has closed its channel cannot be used any more.
                closeChannel()
                kill()
            }
        }
    }

    private func exited() {
        guard let ending = ChildProcess.reap(process) else { return }
        ChildProcess.hasEnded(process)
        read()
        closeChannel()
        exitSource?.cancel()
        timer?.cancel()
        (exitSource, timer) = (nil, nil)
        let ended = ended
        (received, self.ended) = (nil, nil)
        ended?(ending)
    }

    private func closeChannel() {
        channelSource?.cancel()
        channelSource = nil
    }
}
