/// Why something that was asked of the system did not happen. Small, comparable, without a sentence:
/// sentences are made where they are printed.
public struct Failure: Error, Codable, Hashable, Sendable {
    /// What the core needs to tell apart.
    public enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// EPERM or EACCES: a capability is missing.
        case notPermitted
        /// ENODEV, ENXIO or ENOENT: the interface is not there (any more).
        case noSuchDevice
        /// There is nothing here to do it with: no such control socket, switch or driver. Another way is left.
        case unavailable
        /// ERFKILL: the radio is blocked.
        case radioBlocked
        /// EBUSY.
        case busy
        /// A file of ours cannot be written.
        case cannotWrite
        /// No answer by the deadline.
        case timedOut
        /// ENOBUFS, or a reply that did not make sense: nothing is known.
        case lost
        /// Anything else; `code` and `words` tell.
        case other
    }

    public var kind: Kind
    /// The errno of the kernel or the C library, 0 where there is none (errno(3)).
    public var code: Int32
    /// The kernel's own words: its extended acknowledgement where it sent one, else strerror(3).
    public var words: String

    public init(kind: Kind, code: Int32 = 0, words: String) {
        self.kind = kind
        self.code = code
        self.words = words
    }
}

extension Failure {
    /// The guard's process ended before the bounce began.
    public static let guardEnded = Failure(kind: .other, words: "the guard's process ended")
}
