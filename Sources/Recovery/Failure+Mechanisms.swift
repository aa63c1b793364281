import Glibc
import Model
import Platform

extension Failure {
    /// Converts a failed rfkill operation to the core's type.
    public init(_ problem: RadioSwitch.Problem) {
        let (kind, code): (Kind, Int32) =
            switch problem {
            case .none, .shared: (.unavailable, 0)
            case .hardBlocked, .softBlocked: (.radioBlocked, 0)
            case .refused(let error): (Kind(error), error.code)
            }
        self.init(kind: kind, code: code, description: problem.description)
    }

    /// Converts a failed operation on a driver or a bus to the core's type.
    public init(_ problem: DriverBinding.Problem) {
        let (kind, code): (Kind, Int32) =
            switch problem {
            case .unavailable, .shared, .stranding: (.unavailable, 0)
            case .unplugged: (.noSuchDevice, 0)
            case .notBack, .notBackBeside: (.timedOut, 0)
            case .refused(let error, _): (Kind(error), error.code)
            }
        self.init(kind: kind, code: code, description: problem.description)
    }
}

extension Failure {
    /// The failure to set this interface up. If the interface exists, ENODEV is an error of its driver.
    package func ofRaising(_ index: InterfaceIndex) -> Failure {
        guard kind == .noSuchDevice, index.isInUse else { return self }
        return Failure(kind: .other, code: code, description: description)
    }
}

extension InterfaceIndex {
    /// Whether an interface has this index now (if_indextoname(3)).
    package var isInUse: Bool {
        var name = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
        return if_indextoname(UInt32(rawValue), &name) != nil
    }
}

extension Result where Failure == Model.Failure {
    /// Whether it is not known if the operation was carried out (``Failure/mayHaveBegun``).
    var isUnknown: Bool { if case .failure(let failure) = self { failure.mayHaveBegun } else { false } }
}

extension Failure {
    /// Converts the problem of blocking work to the core's type.
    init(_ problem: BlockingWork.Problem) {
        switch problem {
        case .late: self = .late
        case .noThread(let error): self = .noThread(error)
        }
    }
}

extension Failure.Kind {
    /// The kind for an error of a file in /dev or /sys. A read-only file system counts as a missing
    /// permission.
    fileprivate init(_ error: SystemError) {
        switch error.code {
        case EPERM, EACCES, EROFS: self = .notPermitted
        case EBUSY: self = .busy
        default: self = .other
        }
    }
}
