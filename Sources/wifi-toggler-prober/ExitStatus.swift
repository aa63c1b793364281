import Glibc

/// How the helper ends, which the program that started it tells people (sysexits(3)).
enum ExitStatus: Int32 {
    /// Nobody wants to know any more.
    case done = 0
    /// Not started by the program, but by a person.
    case usage = 64
    /// What it was told is no question.
    case badRequest = 65
    /// A library could not be started.
    case unavailable = 69
    /// The socket failed, or took no more answers.
    case socketFailed = 71
    /// It could not give up what it must not have.
    case stillPrivileged = 77

    /// At once, without the libraries' own farewells.
    static func end(_ status: ExitStatus) -> Never { _exit(status.rawValue) }
}
