import Glibc

/// Lines for people and programs, written whole by write(2).
public enum Output {
    /// The program's two outputs.
    public enum Stream: Int32, Sendable {
        case standard = 1
        case error = 2
    }

    /// Makes writing to a pipe that nobody reads an error (EPIPE) instead of the end of the program.
    /// To be called once at the start.
    public static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

    /// Writes one line and its newline. Whoever went away, or stopped reading for longer than
    /// ``patience``, loses it: output that fails must not disturb the work, so nothing is reported.
    public static func write(_ line: String, to stream: Stream) {
        writeWhole(Array((line + "\n").utf8), descriptor: stream.rawValue)
    }

    /// Whether a line can be written now without waiting for whoever reads (poll(2)).
    public static func canTake(_ stream: Stream) -> Bool {
        var question = pollfd(fd: stream.rawValue, events: Int16(POLLOUT), revents: 0)
        return Glibc.poll(&question, 1, 0) > 0
    }

    /// A line for people, `text` on one line with its control characters escaped, led by the level in the
    /// form `<N>` where the journal reads it (sd-daemon(3)).
    public static func line(_ text: String, level: LogLevel, isJournal: Bool) -> String {
        (isJournal ? "<\(level.rawValue)>" : "") + escaped(text)
    }

    /// The text with every control character, line separator and invisible mark as `\u{N}`: a name from
    /// the air cannot forge a line or a level, nor steer a terminal.
    public static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        return text.unicodeScalars.map { scalar in
            isUnsafe(scalar) ? "\\u{" + String(scalar.value, radix: 16) + "}" : String(scalar)
        }.joined()
    }

    /// Whether the journal reads standard error, so that levels mean something there: JOURNAL_STREAM holds
    /// the device and inode number of descriptor 2 (systemd.exec(5)). A shell below a service that sent its
    /// standard error elsewhere inherits the variable, hence the comparison.
    public static func isJournal(environment: [String: String]) -> Bool {
        var status = stat()
        guard let stream = environment["JOURNAL_STREAM"], fstat(Stream.error.rawValue, &status) == 0 else {
            return false
        }
        return names(stream, device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    /// Puts /dev/null (null(4)) in the place of each standard stream that is closed: the next file that is opened would
    /// be taken for it. To be called once at the start.
    public static func fillClosedStreams() {
        var streams = (STDIN_FILENO...STDERR_FILENO).map { pollfd(fd: $0, events: 0, revents: 0) }
        guard Glibc.poll(&streams, nfds_t(streams.count), 0) > 0 else { return }
        // What is opened has the lowest number that is free (open(2)).
        for stream in streams where stream.revents & Int16(POLLNVAL) != 0 { _ = open("/dev/null", O_RDWR) }
    }

    /// Whether nobody will ever read standard error: it is /dev/null.
    public static func isLost() -> Bool {
        var status = stat()
        return fstat(Stream.error.rawValue, &status) == 0 && status.st_mode & S_IFMT == S_IFCHR
            && status.st_rdev == nullDevice
    }

    /// Major number 1, minor number 3.
    private static let nullDevice: dev_t = 1 << 8 | 3

    /// Whether JOURNAL_STREAM's value is this device and inode.
    static func names(_ stream: String, device: UInt64, inode: UInt64) -> Bool {
        let parts = stream.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 2 && UInt64(parts[0]) == device && UInt64(parts[1]) == inode
    }

    /// How long a reader that does not read may keep a line waiting, in milliseconds.
    static let timeout: Int32 = 100

    /// Writes all bytes, goes on after partial writes and signals, waits a moment where the descriptor is
    /// non-blocking and full. Answers whether everything went out.
    @discardableResult
    static func writeWhole(_ bytes: [UInt8], descriptor: Int32, timeout: Int32 = timeout) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if written == -1, errno == EAGAIN {
                var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                guard Glibc.poll(&poll, 1, timeout) > 0 else { return false }
            } else if written != -1 || errno != EINTR {
                return false
            }
        }
        return true
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
