import CNetlink
import Glibc
import Model

/// Converts an errno to a `Failure`. No other code of this target does this.
extension Failure {
    /// - Parameters:
    ///   - code: a positive errno of the kernel or the C library (errno(3)).
    ///   - description: the kernel's error text (NETLINK_EXT_ACK); nil for the text of strerror(3).
    init(errno code: Int32, description: String? = nil) {
        self.init(
            kind: Self.kind(of: code), code: code, description: description ?? String(cString: strerror(code))
        )
    }

    /// The failure of a request that had no answer by its deadline.
    static let noAnswer = Failure(
        kind: .timedOut, code: ETIMEDOUT, description: "the kernel did not answer by the deadline")

    static let inconsistent = lost("the kernel's tables change faster than they can be read")
    static let noMemory = lost("no memory for a message to the kernel")
    static let tooLong = lost("a message of the kernel is too long")
    static let withoutErrno = lost("the kernel refused, and did not say why")

    /// The failure of a request whose answer lacks required content.
    static func unreadable(_ what: String) -> Failure {
        lost("the kernel's message about \(what) cannot be read")
    }

    private static func lost(_ description: String) -> Failure {
        Failure(kind: .lost, description: description)
    }

    private static func kind(of code: Int32) -> Kind {
        switch code {
        case EPERM, EACCES: .notPermitted
        case ENODEV, ENXIO, ENOENT: .noSuchDevice
        case ERFKILL: .radioBlocked
        case EBUSY: .busy
        case ENOBUFS: .lost
        default: .other
        }
    }
}
