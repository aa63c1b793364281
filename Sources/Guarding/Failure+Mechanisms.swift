import Glibc
import Model
import Platform

extension Failure {
    /// What the core needs to know of a switch that was not turned.
    public init(_ problem: RadioSwitch.Problem) {
        let (kind, code): (Kind, Int32) =
            switch problem {
            case .none, .shared: (.unavailable, 0)
            case .hardBlocked, .softBlocked: (.radioBlocked, 0)
            case .refused(let error): (Kind(error), error.code)
            }
        self.init(kind: kind, code: code, words: problem.words)
    }

    /// What the core needs to know of a driver that was left where it is.
    public init(_ problem: DriverBinding.Problem) {
        let (kind, code): (Kind, Int32) =
            switch problem {
            case .unavailable, .shared: (.unavailable, 0)
            case .unplugged: (.noSuchDevice, 0)
            case .notBack: (.timedOut, 0)
            case .refused(let error, _): (Kind(error), error.code)
            }
        self.init(kind: kind, code: code, words: problem.words)
    }
}

extension Failure.Kind {
    /// Of a file in /dev or /sys about a device that is there: where it may not be written, a permission is missing.
    fileprivate init(_ error: SystemError) {
        switch error.code {
        case EPERM, EACCES, EROFS: self = .notPermitted
        case EBUSY: self = .busy
        default: self = .other
        }
    }
}
