import Glibc

/// The signals that the program reacts to, by name, so that test names can be read.
enum Signal {
    static let named = [
        "TERM": SIGTERM, "INT": SIGINT, "HUP": SIGHUP, "USR1": SIGUSR1, "USR2": SIGUSR2,
    ]
}
