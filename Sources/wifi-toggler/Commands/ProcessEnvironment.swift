import Glibc

/// The environment variables that the program uses (environ(7)). A service manager or a terminal sets them.
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
