import Glibc
import Model

/// Why a packet got no answer.
struct SocketFault: Hashable {
    enum Origin: Hashable {
        /// This machine refused: the packet was not sent.
        case ours
        /// This machine tried to resolve the next hop and got no answer.
        case silentNeighbour
        /// The target, by ICMP or a reset.
        case target
        /// Another host on the way, by ICMP.
        case stranger(IPAddress)
    }

    /// errno(3).
    var code: Int32
    var origin: Origin

    var description: String { String(cString: strerror(code)) }

    /// A failed call without an ICMP error: only these two errors mean a missing answer.
    static func local(_ code: Int32) -> SocketFault {
        switch code {
        case EHOSTUNREACH, ETIMEDOUT: SocketFault(code: code, origin: .silentNeighbour)
        default: SocketFault(code: code, origin: .ours)
        }
    }
}
