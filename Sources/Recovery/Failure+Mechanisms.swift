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
    /// The failure to set this interface up. Some errors are the driver's, although they have other causes
    /// elsewhere: ENODEV if the interface exists, EPERM if this process has the permission, EBUSY if no other
    /// interface of the radio is up, and an ENOBUFS that the kernel has answered.
    package func ofRaising(_ index: InterfaceIndex, sysfs: String = RadioSwitch.sysfs) -> Failure {
        let isDrivers =
            switch kind {
            case .noSuchDevice: index.isInUse
            case .notPermitted: code == EPERM && Capabilities.includeNetworkAdministration
            case .busy: index.name.map { RadioSwitch.isOnlyUser($0, sysfs: sysfs) } ?? false
            case .lost: code == ENOBUFS
            case .radioBlocked, .unavailable, .cannotWrite, .timedOut, .notBack, .other: false
            }
        return isDrivers ? Failure(kind: .other, code: code, description: description) : self
    }
}

extension InterfaceIndex {
    /// Whether an interface has this index now.
    package var isInUse: Bool { name != nil }

    /// The name of the interface that has this index now (if_indextoname(3)); nil: there is none.
    fileprivate var name: String? {
        var name = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
        return if_indextoname(UInt32(rawValue), &name).map { String(cString: $0) }
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
