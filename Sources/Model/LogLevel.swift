/// The severity of a log line, with the numbers of syslog(3).
public enum LogLevel: Int, Comparable, Sendable, CaseIterable {
    case error = 3
    case warning, notice, info, debug

    /// Whether `one` is more severe, that is, has the smaller number, as in syslog(3).
    public static func < (one: LogLevel, other: LogLevel) -> Bool { one.rawValue < other.rawValue }
}

/// How much the program prints and logs.
public enum Verbosity: Hashable, Sendable, CaseIterable {
    /// Only errors.
    case quiet
    /// Changes, not every check.
    case normal
    /// Every cycle, with its evidence.
    case verbose

    /// Whether lines of this level are printed and logged.
    public func wants(_ level: LogLevel) -> Bool {
        switch self {
        case .quiet: level <= .error
        case .normal: level <= .notice
        case .verbose: true
        }
    }
}
