/// The destination of messages that are not results.
public enum LogTarget: String, Hashable, Sendable, CaseIterable {
    /// The systemd journal if standard error is connected to it (JOURNAL_STREAM, systemd.exec(5)), otherwise
    /// standard error.
    case auto
    case stderr, journal, syslog
}
