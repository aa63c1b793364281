import Model

/// The program's exit statuses: those of sysexits(3) from 64 on, and three of its own. `InternalError` ends the
/// process with another one of sysexits(3).
enum ExitStatus: Int32 {
    case healthy = 0
    case sick = 1
    case unknown = 2
    case usage = 64
    /// The file is not a valid trace.
    case badData = 65
    /// The trace or a history file cannot be read.
    case noInput = 66
    /// There is no such interface, its state forbids the command, no service answers, or `doctor` has found
    /// an error.
    case unavailable = 69
    case systemRefused = 71
    case cannotWrite = 73
    case heldByOther = 75
    case noPermission = 77
    case configuration = 78
}

extension ExitStatus {
    init(_ failure: Failure) {
        switch failure.kind {
        case .notPermitted: self = .noPermission
        case .noSuchDevice, .unavailable, .radioBlocked: self = .unavailable
        case .cannotWrite: self = .cannotWrite
        case .busy, .timedOut, .lost, .notBack, .other: self = .systemRefused
        }
    }

    /// The status for the outcome of a one-shot command, or of a toggler of the service. A command that was
    /// interrupted does not know the state of the link.
    init(_ outcome: RunOutcome) {
        switch outcome {
        case .healthy: self = .healthy
        case .sick: self = .sick
        case .unknown, .interrupted: self = .unknown
        case .failed(_, let failure): self = ExitStatus(failure)
        case .refused(let reason): self = reason.origin == .interface ? .unavailable : .sick
        }
    }
}
