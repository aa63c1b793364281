import CLinux
import Glibc
import Platform
import Toggling

/// One ICMP echo request and the wait for its reply.
///
/// An unprivileged ping socket (icmp(7)) where net.ipv4.ping_group_range admits us, else a raw one. What
/// fails before the request is out leaves the answer unknown; what comes back afterwards is evidence.
@MainActor enum EchoProbe {
    static func start(_ address: IPAddress, on device: Device, _ inquiry: Inquiry) {
        do {
            try ask(SocketAddress(address, on: device.index), device, inquiry)
        } catch {
            inquiry.end(.unknown(Failure(error)))
        }
    }

    private static func ask(_ target: SocketAddress, _ device: Device, _ inquiry: Inquiry) throws(SystemError)
    {
        let socket = try EchoSocket(target, on: device)
        inquiry.atEnd { close(socket.descriptor) }
        let source = try MainQueueSource.polling(socket.descriptor, for: .reading) {
            if let result = socket.read(elapsed: inquiry.elapsed) { inquiry.end(result) }
        }
        inquiry.atEnd { source.cancel() }
        inquiry.timeIsOver = { inquiry.end(.unanswered(detail: "\(target.address) did not answer")) }
        inquiry.begin()
        try socket.send()
    }
}
