import Glibc
import Model
import Platform

/// An error of a socket, and its origin.
struct SocketFault: Hashable {
    enum Origin: Hashable {
        /// This machine has refused to send the packet.
        case ours
        /// This machine could not resolve the next hop, because nobody answered.
        case silentNeighbour
        /// Nobody has answered within the kernel's time (ETIMEDOUT, connect(2)).
        case silentTarget
        /// The target has sent an ICMP error or a reset.
        case target
        /// Another host on the way has sent an ICMP error.
        case stranger(IPAddress)
    }

    /// The error number (errno(3)).
    var code: Int32
    var origin: Origin

    var description: String { String(cString: strerror(code)) }

    /// The fault for a failed call without an ICMP error. Only these two errors mean that an answer is
    /// missing.
    static func local(_ code: Int32) -> SocketFault {
        switch code {
        case EHOSTUNREACH: SocketFault(code: code, origin: .silentNeighbour)
        case ETIMEDOUT: SocketFault(code: code, origin: .silentTarget)
        default: SocketFault(code: code, origin: .ours)
        }
    }
}

extension SocketFault {
    /// Removes the next report from a socket's error queue (IP_RECVERR, ip(7)), the only place where the
    /// kernel names the sender of an error. Returns nil if there is none, or if it is invalid.
    init?(of descriptor: Int32, target: IPAddress?) {
        guard let report = ErrorReport.next(of: descriptor) else { return nil }
        self.init(report, target: target, local: SocketAddress.local(of: descriptor)?.address)
    }

    init(_ report: ErrorReport, target: IPAddress?, local: IPAddress?) {
        self.init(code: report.code, origin: report.isSilentNeighbour ? .silentNeighbour : .ours)
        guard let offender = report.offender else { return }
        // Compare with the target first: it may be on this machine, so that its address is also `local`.
        if offender == target {
            origin = .target
        } else if offender != local {
            origin = .stranger(offender)
        }
    }
}
