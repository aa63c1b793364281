/// Why a system call or another program's operation failed. A failure is small and comparable. Its text for
/// people is made where it is printed.
public struct Failure: Error, Codable, Hashable, Sendable {
    /// The kinds of failure that the core (target Toggling) treats differently.
    public enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// EPERM or EACCES, for files in /dev and /sys also EROFS: a permission or a capability is missing.
        case notPermitted
        /// ENODEV, ENXIO or ENOENT: the interface does not exist (any more).
        case noSuchDevice
        /// What the method needs is missing: a control socket, an rfkill switch or a driver. Another method
        /// may work.
        case unavailable
        /// ERFKILL: the radio is blocked.
        case radioBlocked
        /// EBUSY: the device is busy. Also: an earlier run or request has not ended, or a program inhibits
        /// shutdown.
        case busy
        /// The program cannot write one of its own files.
        case cannotWrite
        /// No answer came by the deadline.
        case timedOut
        /// ENOBUFS, an invalid reply, or a program that was killed: it is not known whether the operation
        /// succeeded.
        case lost
        /// After several attempts, the interface has not come back from a reset.
        case notBack
        /// Any other failure; `code` and `description` have the details.
        case other
    }

    public var kind: Kind
    /// The error number of the kernel or the C library (errno(3)); 0: there is none.
    public var code: Int32
    /// The kernel's own message if there is one (extended acknowledgement, NLMSGERR_ATTR_MSG), else that of
    /// strerror(3) or of the program that failed.
    public var description: String

    public init(kind: Kind, code: Int32 = 0, description: String) {
        self.kind = kind
        self.code = code
        self.description = description
    }

    /// Whether the operation may be under way, or done, in spite of the failure.
    package var mayHaveBegun: Bool { kind == .timedOut || kind == .lost }

    /// Whether the kernel has answered that a device does not respond to its driver as it should: EPERM, EIO,
    /// ENXIO, EAGAIN, EBUSY, ENODEV, EINVAL, EBADE, ECOMM, EPROTO, ENOBUFS, ESHUTDOWN, ETIMEDOUT, EALREADY or
    /// EREMOTEIO (errno(3); the numbers are those of asm-generic/errno.h). Those that may have another cause are
    /// of the kind `other` only if they have not (`ofRaising` in the target Recovery).
    package var isOfDevice: Bool {
        kind == .other && [1, 5, 6, 11, 16, 19, 22, 52, 70, 71, 105, 108, 110, 114, 121].contains(code)
    }
}

extension Failure {
    /// The guard's process ended before the bounce began.
    public static let guardEnded = Failure(kind: .other, description: "the guard's process ended")
    /// The guard did not report in time that it is ready.
    public static let guardLate = Failure(kind: .timedOut, description: "the guard's process did not answer")
}
