/// Why an operation of the system failed. Small, comparable and without a sentence: sentences are made where
/// they are printed.
public struct Failure: Error, Codable, Hashable, Sendable {
    /// The kinds that the core distinguishes.
    public enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// EPERM or EACCES: a capability is missing.
        case notPermitted
        /// ENODEV, ENXIO or ENOENT: the interface does not exist (any more).
        case noSuchDevice
        /// The means is missing: no such control socket, switch or driver. Another method may work.
        case unavailable
        /// ERFKILL: the radio is blocked.
        case radioBlocked
        /// EBUSY.
        case busy
        /// A file of this program cannot be written.
        case cannotWrite
        /// No answer by the deadline.
        case timedOut
        /// ENOBUFS, or an invalid reply: the result is not known.
        case lost
        /// Anything else; see `code` and `description`.
        case other
    }

    public var kind: Kind
    /// The errno of the kernel or the C library, 0 if there is none (errno(3)).
    public var code: Int32
    /// The kernel's own message: its extended acknowledgement if it sent one, else strerror(3).
    public var description: String

    public init(kind: Kind, code: Int32 = 0, description: String) {
        self.kind = kind
        self.code = code
        self.description = description
    }
}

extension Failure {
    /// The guard's process ended before the bounce began.
    public static let guardEnded = Failure(kind: .other, description: "the guard's process ended")
}
