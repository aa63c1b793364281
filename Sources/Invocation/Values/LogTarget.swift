/// Where messages go that are not results.
public enum LogTarget: String, Hashable, Sendable, CaseIterable {
    /// The journal if it reads standard error, otherwise standard error.
    case auto
    case stderr, journal, syslog
}
