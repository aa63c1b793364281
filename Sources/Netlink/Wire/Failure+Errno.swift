import CNetlink
import Glibc
import Model

/// Converts an errno to a `Failure`. No other code does this.
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

    /// The failure of a request whose answer lacks required content.
    static func nonsense(_ description: String) -> Failure { Failure(kind: .lost, description: description) }

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
