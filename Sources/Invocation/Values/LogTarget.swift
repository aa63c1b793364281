/// Where what is no result is said.
public enum LogTarget: String, Hashable, Sendable, CaseIterable {
    /// To the journal where that reads standard error, else there.
    case auto
    case stderr, journal, syslog
}
