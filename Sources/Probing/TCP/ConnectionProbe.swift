import CLinux
import Glibc
import Model
import Platform

/// Attempts one TCP connection. If the target accepts or refuses the connection, the target is reachable.
///
/// A SYN that this machine's own firewall drops looks like one that was sent and not answered.
@MainActor enum ConnectionProbe {
    /// - Throws: the error of the call that failed. The probe is then still pending.
    static func start(
        _ address: IPAddress, port: UInt16, on device: Device, _ pending: PendingProbe
    ) throws(SystemError) {
        let target = SocketAddress(address, port: port, on: device.index)
        let descriptor = try device.socket(target.family, type: SOCK_STREAM, protocol: IPPROTO_TCP)
        pending.atEnd { close(descriptor) }
        pending.begin()
        do throws(SystemError) {
            try check("connect") { target.withPointer { connect(descriptor, $0, $1) } }
        } catch {
            guard error.code == EINPROGRESS else { throw error }
        }
        let source = try EventSource.polling(descriptor, for: .writing) {
            pending.end(result(of: descriptor, target, pending))
        }
        pending.atEnd { source.cancel() }
        pending.timeIsOver = { pending.end(.unanswered(detail: "\(name(target)) did not answer")) }
    }

    /// How the attempt ended (SO_ERROR, connect(2)). If an ICMP error has ended it, the error queue has a
    /// report with the sender; a reset leaves no report.
    private static func result(
        of descriptor: Int32, _ target: SocketAddress, _ pending: PendingProbe
    ) -> ProbeResult {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else {
            return .unknown(Failure(SystemError(call: "getsockopt", code: errno)))
        }
        if code == 0 {
            return .answered(roundTrip: pending.elapsed, detail: "\(name(target)) accepted the connection")
        }
        let report = ErrorReport.next(of: descriptor)
        if code == ECONNREFUSED, report == nil || report?.offender == target.address {
            return .answered(
                roundTrip: pending.elapsed, detail: "\(name(target)) refused, which counts as an answer")
        }
        if let report { return report.result(from: SocketAddress.local(of: descriptor)?.address) }
        return judge(code, target)
    }

    /// The result for an error whose sender is unknown.
    private static func judge(_ code: Int32, _ target: SocketAddress) -> ProbeResult {
        let error = SystemError(call: "connect", code: code)
        switch code {
        case EHOSTUNREACH, ETIMEDOUT: return .unanswered(detail: "\(name(target)): \(error.description)")
        default: return .unknown(Failure(error))
        }
    }

    private static func name(_ target: SocketAddress) -> String {
        switch target.family {
        case .v4: "\(target.address):\(target.port)"
        case .v6: "[\(target.address)]:\(target.port)"
        }
    }
}
