import Glibc
import Model

/// What became of a packet instead of an answer.
struct SocketFault: Hashable {
    enum Origin: Hashable {
        /// This machine refused: the question was not asked.
        case ours
        /// This machine looked for the next hop and got no answer.
        case silentNeighbour
        /// Whom we asked, by ICMP or a reset.
        case target
        /// Somebody on the way, by ICMP.
        case stranger(IPAddress)
    }

    /// errno(3).
    var code: Int32
    var origin: Origin

    var words: String { String(cString: strerror(code)) }

    /// A call that failed, where no ICMP error is known: only these two are made by an answer that did not
    /// come.
    static func local(_ code: Int32) -> SocketFault {
        switch code {
        case EHOSTUNREACH, ETIMEDOUT: SocketFault(code: code, origin: .silentNeighbour)
        default: SocketFault(code: code, origin: .ours)
        }
    }
}
