import CNetlink
import Glibc
import Model

/// The only place that converts an errno to a `Failure`.
extension Failure {
    /// - Parameters:
    ///   - code: an errno of the kernel or the C library, positive (errno(3)).
    ///   - description: the kernel's extended acknowledgement; nil: the words of strerror(3).
    init(errno code: Int32, description: String? = nil) {
        self.init(
            kind: Self.kind(of: code), code: code, description: description ?? String(cString: strerror(code))
        )
    }

    /// No answer came by the request's own deadline.
    static let noAnswer = Failure(
        kind: .timedOut, code: ETIMEDOUT, description: "the kernel did not answer by the deadline")

    /// An answer without its required content.
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
