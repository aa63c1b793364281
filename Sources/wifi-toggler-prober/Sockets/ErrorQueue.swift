import CLinux
import Glibc
import Model

/// Reads a socket's error queue (IP_RECVERR, ip(7)), the only place where the kernel names the sender of an
/// error.
enum ErrorQueue {
    /// Makes the kernel report the socket's errors in the queue.
    static func enable(_ descriptor: Int32, family: Int32) -> Bool {
        var yes: Int32 = 1
        let length = socklen_t(MemoryLayout<Int32>.size)
        return family == AF_INET6
            ? setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_RECVERR, &yes, length) == 0
            : setsockopt(descriptor, Int32(IPPROTO_IP), IP_RECVERR, &yes, length) == 0
    }

    /// Removes the next report from the queue and returns it; nil if there is none, or if it is invalid.
    static func next(of descriptor: Int32, target: IPAddress?) -> SocketFault? {
        var payload = [UInt8](repeating: 0, count: 64)
        var control = [UInt8](repeating: 0, count: 256)
        var (received, filled) = (-1, 0)
        payload.withUnsafeMutableBytes { payloadBytes in
            control.withUnsafeMutableBytes { controlBytes in
                var vector = iovec(iov_base: payloadBytes.baseAddress, iov_len: payloadBytes.count)
                withUnsafeMutablePointer(to: &vector) { vectorPointer in
                    var message = msghdr()
                    message.msg_iov = vectorPointer
                    message.msg_iovlen = 1
                    message.msg_control = controlBytes.baseAddress
                    message.msg_controllen = controlBytes.count
                    received = recvmsg(descriptor, &message, receive_error_queue | message_dont_wait)
                    filled = Int(message.msg_controllen)
                }
            }
        }
        guard received >= 0 else { return nil }
        return fault(Array(control.prefix(filled)), target: target, local: SocketName.local(of: descriptor))
    }

    /// The sizes in bytes on 64-bit machines of struct cmsghdr (length, level, type), and of struct
    /// sock_extended_err, which follows it. A sockaddr follows that.
    private static let headerSize = 16
    private static let reportSize = 16

    /// Parses the control messages. The first is the report, because no other kind was enabled.
    static func fault(_ control: [UInt8], target: IPAddress?, local: IPAddress?) -> SocketFault? {
        guard control.count >= headerSize + reportSize else { return nil }
        let (length, level, type, code) = control.withUnsafeBytes { raw in
            (
                raw.loadUnaligned(as: Int.self), raw.loadUnaligned(fromByteOffset: 8, as: Int32.self),
                raw.loadUnaligned(fromByteOffset: 12, as: Int32.self),
                raw.loadUnaligned(fromByteOffset: headerSize, as: Int32.self)
            )
        }
        let isReport =
            level == Int32(IPPROTO_IP) && type == IP_RECVERR
            || level == Int32(IPPROTO_IPV6) && type == IPV6_RECVERR
        guard isReport, length >= headerSize + reportSize, length <= control.count else { return nil }
        let report = control[headerSize..<length]
        let icmp = (
            origin: report[headerSize + 4], type: report[headerSize + 5], code: report[headerSize + 6]
        )
        let offender = SocketName.address(Array(report.dropFirst(reportSize)))
        return SocketFault(code: code, origin: origin(icmp, offender, target: target, local: local))
    }

    private static func origin(
        _ icmp: (origin: UInt8, type: UInt8, code: UInt8), _ offender: IPAddress?, target: IPAddress?,
        local: IPAddress?
    ) -> SocketFault.Origin {
        // Compare with the target first: it may be on this machine, so that its address is also `local`.
        if let offender, offender == target { return .target }
        if let offender, offender != local { return .stranger(offender) }
        switch Int32(icmp.origin) {
        case Int32(SO_EE_ORIGIN_ICMP):
            return Int32(icmp.type) == ICMP_DEST_UNREACH && Int32(icmp.code) == ICMP_HOST_UNREACH
                ? .silentNeighbour : .ours
        case Int32(SO_EE_ORIGIN_ICMP6):
            return Int32(icmp.type) == ICMPV6_DEST_UNREACH && Int32(icmp.code) == ICMPV6_ADDR_UNREACH
                ? .silentNeighbour : .ours
        default: return .ours
        }
    }
}
