import Glibc

/// What a service manager, or a terminal, tells the process in its environment (environ(7)), read once at the
/// start.
enum ProcessEnvironment {
    private static let names = [
        "JOURNAL_STREAM", "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC", "TERM", "NO_COLOR", "LC_ALL",
        "LC_CTYPE",
        "LANG",
    ]

    static var variables: [String: String] {
        var variables: [String: String] = [:]
        for name in names {
            if let value = getenv(name) { variables[name] = String(cString: value) }
        }
        return variables
    }
}
