import Glibc

/// The signals that the program handles, with names for the output of tests.
enum Signal {
    static let named = [
        "TERM": SIGTERM, "INT": SIGINT, "HUP": SIGHUP, "USR1": SIGUSR1, "USR2": SIGUSR2,
    ]
}
