import CLinux
import Glibc

/// A stream to a local service, for a command that does nothing but wait for the service.
public final class BlockingStream {
    private let descriptor: Int32

    /// - Parameter descriptor: the descriptor of a non-blocking socket. It is closed with the stream.
    public init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Connects to `DIRECTORY/NAME` (``ControlSocket``). The deadline is in nanoseconds of CLOCK_BOOTTIME.
    public static func connect(
        to name: String, in directory: String, before deadline: Int64
    ) throws(ControlSocket.Problem) -> BlockingStream {
        BlockingStream(try ControlSocket.connect(to: name, in: directory, by: .stream, before: deadline))
    }

    /// Sends all bytes.
    /// - Throws: ETIMEDOUT if the service has not taken them by the deadline, in nanoseconds of
    ///   CLOCK_BOOTTIME.
    public func send(_ bytes: [UInt8], before deadline: Int64) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            try wait(for: POLLOUT, before: deadline)
            let count = try checkCount("send") {
                rest.withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress, $0.count, send_no_signal)
                }
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Waits for bytes and returns those that have arrived; empty if the other end has closed the stream. The
    /// deadline is in nanoseconds of CLOCK_BOOTTIME (ETIMEDOUT).
    public func receive(before deadline: Int64) throws(SystemError) -> [UInt8] {
        try wait(for: POLLIN, before: deadline)
        var part = [UInt8](repeating: 0, count: 1 << 14)
        let count = try checkCount("read") { read(descriptor, &part, part.count) }
        return Array(part[..<count])
    }

    private func wait(for event: Int32, before deadline: Int64) throws(SystemError) {
        var question = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        while true {
            let now = BootClock.now()
            // Round up, so that the call does not end before the deadline.
            let rest = deadline > now ? (deadline - now - 1) / 1_000_000 + 1 : 0
            guard rest > 0 else { throw SystemError(call: "poll", code: ETIMEDOUT) }
            if try check("poll", { poll(&question, 1, Int32(min(rest, 60_000))) }) > 0 { return }
        }
    }
}
