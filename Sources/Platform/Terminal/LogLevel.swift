/// The severity of a line, with the numbers of syslog(3).
public enum LogLevel: UInt8, Comparable, Sendable, CaseIterable {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
    case debug = 7

    /// The more severe level is the smaller number, as in syslog(3).
    public static func < (one: LogLevel, other: LogLevel) -> Bool { one.rawValue < other.rawValue }
}
