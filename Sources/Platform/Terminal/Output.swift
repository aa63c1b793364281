import Glibc
import Model

/// Writes lines for people and programs, each as a whole, by write(2).
public enum Output {
    /// Standard output and standard error.
    public enum Stream: Int32, Sendable {
        case standard = 1
        case error = 2
    }

    /// Lets a write to a pipe without a reader fail (EPIPE), instead of ending the program (SIGPIPE). Call it
    /// once at the start.
    public static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

    /// Writes one line and a newline. Returns why the line is lost, such as EPIPE if the reader is gone, or
    /// ETIMEDOUT if it does not read for 100 ms (non-blocking descriptors only; others block); nil if it was
    /// written. It does not throw, because failed output must not disturb the work.
    @discardableResult
    public static func write(_ line: String, to stream: Stream) -> SystemError? {
        writeWhole(Array((line + "\n").utf8), descriptor: stream.rawValue)
    }

    /// Whether a line can be written now without waiting for the reader (poll(2)).
    public static func canTake(_ stream: Stream) -> Bool {
        var question = pollfd(fd: stream.rawValue, events: Int16(POLLOUT), revents: 0)
        return Glibc.poll(&question, 1, 0) > 0
    }

    /// A line for people: `text` with its control characters escaped. If the journal reads it, the level
    /// precedes it in the form `<N>` (sd-daemon(3)).
    public static func line(_ text: String, level: LogLevel, isJournal: Bool) -> String {
        (isJournal ? "<\(level.rawValue)>" : "") + escaped(text)
    }

    /// The text with every control character, line separator and format character as `\u{N}`. Otherwise the
    /// name of a network could forge a line or a level, or control a terminal.
    public static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        return text.unicodeScalars.map { scalar in
            isUnsafe(scalar) ? "\\u{" + String(scalar.value, radix: 16) + "}" : String(scalar)
        }.joined()
    }

    /// Whether standard error goes to the journal, which understands levels. If so, JOURNAL_STREAM contains
    /// the device and inode number of descriptor 2 (systemd.exec(5)). The numbers are compared, because a
    /// child of a service inherits the variable even if its standard error was redirected.
    public static func isJournal(environment: [String: String]) -> Bool {
        var status = stat()
        guard let stream = environment["JOURNAL_STREAM"], fstat(Stream.error.rawValue, &status) == 0 else {
            return false
        }
        return names(stream, device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    /// Opens /dev/null (null(4)) for each standard stream that is closed: otherwise the next opened file
    /// would take its number. Call it once at the start.
    public static func fillClosedStreams() {
        var streams = (STDIN_FILENO...STDERR_FILENO).map { pollfd(fd: $0, events: 0, revents: 0) }
        guard Glibc.poll(&streams, nfds_t(streams.count), 0) > 0 else { return }
        // open(2) returns the lowest free number.
        for stream in streams where stream.revents & Int16(POLLNVAL) != 0 { _ = open("/dev/null", O_RDWR) }
    }

    /// Whether standard error is /dev/null.
    public static func isLost() -> Bool {
        var status = stat()
        return fstat(Stream.error.rawValue, &status) == 0 && status.st_mode & S_IFMT == S_IFCHR
            && status.st_rdev == nullDevice
    }

    /// The device number of /dev/null: major 1, minor 3.
    private static let nullDevice: dev_t = 1 << 8 | 3

    /// Whether JOURNAL_STREAM's value is this device and inode.
    static func names(_ stream: String, device: UInt64, inode: UInt64) -> Bool {
        let parts = stream.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 2 && UInt64(parts[0]) == device && UInt64(parts[1]) == inode
    }

    /// How long to wait for a reader that does not read, in milliseconds.
    static let timeout: Int32 = 100

    /// Writes all bytes. Continues after partial writes and signals, and waits for at most `timeout`
    /// milliseconds if the descriptor is non-blocking and full. Returns why not everything was written; nil
    /// if it was.
    @discardableResult
    static func writeWhole(
        _ bytes: [UInt8], descriptor: Int32, timeout: Int32 = timeout
    ) -> SystemError? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if written == -1, errno == EAGAIN {
                var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                guard Glibc.poll(&poll, 1, timeout) > 0 else {
                    return SystemError(call: "write", code: ETIMEDOUT)
                }
            } else if written != -1 || errno != EINTR {
                return SystemError(call: "write", code: written == -1 ? errno : ENOSPC)
            }
        }
        return nil
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
