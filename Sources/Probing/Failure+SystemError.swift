import Glibc
import Model
import Platform

extension Failure {
    /// Converts the error of a failed system call.
    init(_ error: SystemError) {
        let kind: Kind =
            switch error.code {
            case EPERM, EACCES: .notPermitted
            case ENODEV, ENXIO, ENOENT: .noSuchDevice
            case ERFKILL: .radioBlocked
            case EBUSY: .busy
            case ETIMEDOUT: .timedOut
            case ENOBUFS: .lost
            default: .other
            }
        self.init(kind: kind, code: error.code, description: error.description)
    }
}
