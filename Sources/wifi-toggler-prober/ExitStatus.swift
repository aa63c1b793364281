import Glibc

/// The exit statuses of the helper (sysexits(3)).
enum ExitStatus: Int32 {
    /// The main program has closed the channel.
    case done = 0
    /// The helper was started by a user instead of the main program.
    case usage = 64
    /// The helper has received an invalid request.
    case badRequest = 65
    /// A library could not be initialized.
    case unavailable = 69
    /// The socket has failed, or did not accept an answer.
    case socketFailed = 71
    /// The helper could not give up its privileges.
    case stillPrivileged = 77

    /// Exits at once, without running the exit handlers of libraries.
    static func end(_ status: ExitStatus) -> Never { _exit(status.rawValue) }
}
