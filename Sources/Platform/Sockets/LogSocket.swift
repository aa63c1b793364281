import CLinux
import Glibc
import Model

/// The socket of a log: a datagram socket that takes one message at a time.
public struct LogSocket: Sendable {
    /// The journal's own protocol (systemd.io/JOURNAL_NATIVE_PROTOCOL).
    public static let journal = LogSocket("/run/systemd/journal/socket")
    /// The socket of syslog(3).
    public static let syslog = LogSocket("/dev/log")

    private let address: UnixAddress

    /// - Parameter path: of a file; shorter than sun_path.
    init(_ path: String) { address = UnixAddress(path: Array(path.utf8)) }

    /// Sends one message, and waits briefly if the log is busy. Each message has a socket of its own, since
    /// they are few: nothing is lost when the logging daemon restarts.
    /// - Returns: false: it was not sent: there is no log, it is too large, or the log does not read.
    public func send(_ message: [UInt8]) -> Bool { address.send(message) }
}

/// Messages for a ``LogSocket``, as bytes.
public enum LogMessage {
    /// For the journal: fields, `NAME=value` and a newline each; if the value contains a newline: the name
    /// and a newline, the length as 64 bits, little endian, the value and a newline.
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

    /// For syslog, as the C library writes it (RFC 3164): a service's facility and the level, the local time,
    /// the program and its number, one line.
    public static func syslog(_ text: String, level: LogLevel, program: String) -> [UInt8] {
        let priority = Int(LOG_DAEMON) | level.rawValue
        return Array("<\(priority)>\(localTime) \(program)[\(getpid())]: \(Output.escaped(text))".utf8)
    }

    private static let newline = UInt8(ascii: "\n")

    /// `Feb  3 04:05:06`.
    private static var localTime: String {
        var now = time(nil)
        var calendar = tm()
        localtime_r(&now, &calendar)
        var text = [CChar](repeating: 0, count: 32)
        let count = strftime(&text, text.count, "%b %e %H:%M:%S", &calendar)
        return String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
