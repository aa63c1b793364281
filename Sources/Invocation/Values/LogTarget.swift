/// The destination of messages that are not results.
public enum LogTarget: String, Hashable, Sendable, CaseIterable {
    /// For `run`: the systemd journal if standard error is connected to it (JOURNAL_STREAM, systemd.exec(5)),
    /// syslog if standard error is /dev/null, otherwise standard error. For other commands: standard error.
    case auto
    case stderr, journal, syslog
}
