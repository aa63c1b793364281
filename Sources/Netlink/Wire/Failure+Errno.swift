import CNetlink
import Glibc
import Model

/// The only place that converts an errno to a `Failure`.
extension Failure {
    /// - Parameters:
    ///   - code: an errno of the kernel or the C library, positive (errno(3)).
    ///   - words: the kernel's extended acknowledgement; nil: the words of strerror(3).
    init(errno code: Int32, words: String? = nil) {
        self.init(kind: Self.kind(of: code), code: code, words: words ?? String(cString: strerror(code)))
    }

    /// No answer came by the request's own deadline.
    static let noAnswer = Failure(
        kind: .timedOut, code: ETIMEDOUT, words: "the kernel did not answer by the deadline")

    /// An answer without its required content.
    static func nonsense(_ words: String) -> Failure { Failure(kind: .lost, words: words) }

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
