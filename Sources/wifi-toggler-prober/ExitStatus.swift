import Glibc

/// The helper's exit statuses, which the program reports to the user (sysexits(3)).
enum ExitStatus: Int32 {
    /// The program has closed the channel.
    case done = 0
    /// A user started it, not the program.
    case usage = 64
    /// It received an invalid request.
    case badRequest = 65
    /// A library could not be started.
    case unavailable = 69
    /// The socket failed, or accepted no more answers.
    case socketFailed = 71
    /// It could not give up its privileges.
    case stillPrivileged = 77

    /// Exits at once, without the exit handlers of libraries.
    static func end(_ status: ExitStatus) -> Never { _exit(status.rawValue) }
}
