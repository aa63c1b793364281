import CLinux
import Glibc
import Platform
import Toggling

/// A socket for one echo request to one address.
struct EchoSocket {
    let descriptor: Int32
    private let target: SocketAddress
    private let message: EchoMessage
    /// A raw IPv4 socket gives the IP header too.
    private let hasIPHeader: Bool

    /// Opens, binds and connects it; nothing is sent yet. The caller closes it.
    init(_ target: SocketAddress, on device: Device) throws(SystemError) {
        self.target = target
        let isRaw: Bool
        (descriptor, isRaw) = try Self.open(target.family, on: device)
        hasIPHeader = isRaw && target.family == .v4
        do {
            if isRaw { try Self.filter(descriptor, target.family) }
            try check("connect") { [descriptor] in target.withPointer { connect(descriptor, $0, $1) } }
            let identifier = isRaw ? UInt16.random(in: .min ... .max) : try Self.identifier(of: descriptor)
            message = EchoMessage(
                family: target.family, identifier: identifier, sequence: .random(in: .min ... .max),
                cookie: .random(in: .min ... .max))
        } catch {
            close(descriptor)
            throw error
        }
    }

    func send() throws(SystemError) {
        let request = message.request
        try checkCount("send") { Glibc.send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Reads all that is there; the outcome if it is among it.
    func read(elapsed: Duration) -> ProbeResult? {
        var bytes = [UInt8](repeating: 0, count: 512)
        for _ in 0..<Self.readsAtOnce {
            let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            if count > 0, isReply(Array(bytes.prefix(count))) {
                return .answered(roundTrip: elapsed, detail: "\(target.address) answered")
            }
            // An error that is pending is told once in this way; what it was stands in the error queue.
            if count == -1, errno == EAGAIN { break }
        }
        return error()
    }

    /// What comes in faster than this must not keep the loop.
    private static let readsAtOnce = 64

    private func isReply(_ packet: [UInt8]) -> Bool {
        guard hasIPHeader else { return message.isReply(packet) }
        return EchoMessage.strippingIPv4Header(packet).map(message.isReply) ?? false
    }

    private func error() -> ProbeResult? {
        for _ in 0..<Self.readsAtOnce {
            guard let report = ErrorReport.next(of: descriptor) else { return nil }
            if message.isQuoted(report.quoted) {
                return report.result(from: SocketAddress.local(of: descriptor)?.address)
            }
        }
        return nil
    }

    private static func open(
        _ family: SocketAddress.Family, on device: Device
    ) throws(SystemError) -> (descriptor: Int32, isRaw: Bool) {
        let number = family == .v4 ? IPPROTO_ICMP : IPPROTO_ICMPV6
        do {
            return (try device.socket(family, type: SOCK_DGRAM, protocol: number), false)
        } catch {
            guard error.call == "socket" else { throw error }
            // Not in the range of groups, or a kernel without ping sockets.
            return (try device.socket(family, type: SOCK_RAW, protocol: number), true)
        }
    }

    /// The identifier that the kernel chose for a ping socket: its port.
    private static func identifier(of descriptor: Int32) throws(SystemError) -> UInt16 {
        guard let local = SocketAddress.local(of: descriptor) else {
            throw SystemError(call: "getsockname", code: errno)
        }
        return local.port
    }

    /// Lets only echo replies through to a raw socket (ICMP_FILTER, ICMPV6_FILTER; errors come by the error
    /// queue): every other ICMP message of the machine would wake us.
    private static func filter(_ descriptor: Int32, _ family: SocketAddress.Family) throws(SystemError) {
        switch family {
        case .v4: try set(descriptor, SOL_RAW, ICMP_FILTER, [~(1 << UInt32(ICMP_ECHOREPLY))])
        case .v6:
            var mask = [UInt32](repeating: .max, count: 8)
            mask[Int(ICMPV6_ECHO_REPLY) >> 5] &= ~(1 << (UInt32(ICMPV6_ECHO_REPLY) & 31))
            try set(descriptor, Int32(IPPROTO_ICMPV6), ICMPV6_FILTER, mask)
        }
    }

    private static func set(
        _ descriptor: Int32, _ level: Int32, _ option: Int32, _ mask: [UInt32]
    ) throws(SystemError) {
        try check("setsockopt") { setsockopt(descriptor, level, option, mask, socklen_t(mask.count * 4)) }
    }
}
