import CLinux
import Glibc
import Model

/// The datagram socket of a log daemon. One datagram is one message.
public struct LogSocket: Sendable {
    /// The socket of the journal (https://systemd.io/JOURNAL_NATIVE_PROTOCOL).
    public static let journal = LogSocket("/run/systemd/journal/socket")
    /// The socket of syslog(3).
    public static let syslog = LogSocket("/dev/log")

    private let address: UnixAddress

    /// - Parameter path: the path of the socket; shorter than sun_path (unix(7)).
    init(_ path: String) { address = UnixAddress(path: Array(path.utf8)) }

    /// Sends one message, and waits briefly if the daemon is busy. Opens a socket for each message, so that
    /// nothing is lost when the daemon restarts; there are few messages.
    /// - Returns: false if the message was not sent: there is no daemon, the message is too large, or the
    ///   daemon does not read.
    public func send(_ message: [UInt8]) -> Bool { address.send(message) }
}

/// Formats messages for a ``LogSocket``.
public enum LogMessage {
    /// A message for the journal. Each field is `NAME=value` and a newline. If the value contains a newline,
    /// the field is the name, a newline, the length of the value as a little-endian number of 64 bits, the
    /// value and a newline.
    public static func journal(_ fields: [(name: String, value: String)]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (name, value) in fields {
            let value = Array(value.utf8)
            bytes += Array(name.utf8)
            if value.contains(newline) {
                bytes.append(newline)
                withUnsafeBytes(of: UInt64(value.count).littleEndian) { bytes += $0 }
            } else {
                bytes.append(UInt8(ascii: "="))
            }
            bytes += value
            bytes.append(newline)
        }
        return bytes
    }

    /// A message for syslog in the format that the C library uses (RFC 3164): the priority (facility daemon
    /// and level), the local time, the program with its process ID, and one line of text.
    public static func syslog(_ text: String, level: LogLevel, program: String) -> [UInt8] {
        let priority = Int(LOG_DAEMON) | level.rawValue
        return Array("<\(priority)>\(localTime) \(program)[\(getpid())]: \(Output.escaped(text))".utf8)
    }

    private static let newline = UInt8(ascii: "\n")

    /// The local time in the format of syslog, such as `Feb  3 04:05:06`.
    private static var localTime: String {
        var now = time(nil)
        var calendar = tm()
        localtime_r(&now, &calendar)
        var text = [CChar](repeating: 0, count: 32)
        let count = strftime(&text, text.count, "%b %e %H:%M:%S", &calendar)
        return String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
