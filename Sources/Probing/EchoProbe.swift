import CLinux
import Glibc
import Platform
import Toggling

/// One ICMP echo request and the wait for its reply.
///
/// An unprivileged ping socket (icmp(7)) where net.ipv4.ping_group_range admits us, else a raw one. What
/// fails before the request is out leaves the answer unknown; what comes back afterwards is evidence.
@MainActor enum EchoProbe {
    static func start(_ address: IPAddress, on device: Device, _ pending: PendingProbe) {
        do {
            try ask(SocketAddress(address, on: device.index), device, pending)
        } catch {
            pending.end(.unknown(Failure(error)))
        }
    }

    private static func ask(_ target: SocketAddress, _ device: Device, _ pending: PendingProbe)
        throws(SystemError)
    {
        let socket = try EchoSocket(target, on: device)
        pending.atEnd { close(socket.descriptor) }
        let source = try EventSource.polling(socket.descriptor, for: .reading) {
            if let result = socket.read(elapsed: pending.elapsed) { pending.end(result) }
        }
        pending.atEnd { source.cancel() }
        pending.timeIsOver = { pending.end(.unanswered(detail: "\(target.address) did not answer")) }
        pending.begin()
        try socket.send()
    }
}
