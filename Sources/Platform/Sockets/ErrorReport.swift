import CLinux
import Glibc
import Model

/// An entry in a socket's error queue (IP_RECVERR, ip(7); struct sock_extended_err, linux/errqueue.h): an
/// ICMP error from the network, or an error of the kernel itself.
public struct ErrorReport: Equatable, Sendable {
    /// The error number (errno(3)).
    public var code: Int32
    /// The origin of the error (SO_EE_ORIGIN_*).
    public var origin: UInt8
    /// The ICMP type, if the origin is an ICMP message; `icmpCode` is its code.
    public var type: UInt8
    public var icmpCode: UInt8
    /// The sender of the ICMP message; nil if there was none.
    public var offender: IPAddress?
    /// The first bytes of the packet that caused the error, starting at its transport header.
    public var quoted: [UInt8]

    /// The size of struct sock_extended_err in bytes. The sender's sockaddr follows it.
    private static let size = 16

    /// Parses the data of an IP_RECVERR or IPV6_RECVERR control message. Returns nil if it is too short.
    public init?(_ data: [UInt8], quoted: [UInt8]) {
        guard data.count >= Self.size else { return nil }
        code = Int32(bitPattern: data.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) })
        (origin, type, icmpCode) = (data[4], data[5], data[6])
        offender = SocketAddress(bytes: data[Self.size...])?.address
        self.quoted = quoted
    }

    /// Removes the next report from a socket's error queue and returns it; nil if there is none, or if it is
    /// invalid.
    public static func next(of descriptor: Int32) -> ErrorReport? {
        var quoted = [UInt8](repeating: 0, count: 128)
        var control = [UInt8](repeating: 0, count: 512)
        var (received, filled) = (-1, 0)
        quoted.withUnsafeMutableBytes { quotedBytes in
            control.withUnsafeMutableBytes { controlBytes in
                var vector = iovec(iov_base: quotedBytes.baseAddress, iov_len: quotedBytes.count)
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
        let data = ControlMessages(Array(control.prefix(filled))).data { level, type in
            level == Int32(IPPROTO_IP) && type == IP_RECVERR
                || level == Int32(IPPROTO_IPV6) && type == IPV6_RECVERR
        }
        return data.flatMap { ErrorReport($0, quoted: Array(quoted.prefix(received))) }
    }

    /// Whether the packet was forwarded all the same. Ping sockets get a router's redirect as a report, too
    /// (`ping_err` in net/ipv4/ping.c), and its source quench (RFC 792).
    public var isAdvice: Bool {
        switch origin {
        case UInt8(SO_EE_ORIGIN_ICMP): type == ICMP_REDIRECT || type == ICMP_SOURCE_QUENCH
        case UInt8(SO_EE_ORIGIN_ICMP6): type == Self.neighbourRedirect
        default: false
        }
    }
    /// NDISC_REDIRECT in net/ndisc.h.
    private static let neighbourRedirect: UInt8 = 137

    /// Whether the sender of the error could not resolve its next hop. If this machine is the sender, the
    /// packet could not leave, which is evidence against the neighbour.
    public var isSilentNeighbour: Bool {
        switch origin {
        case UInt8(SO_EE_ORIGIN_ICMP): type == ICMP_DEST_UNREACH && icmpCode == ICMP_HOST_UNREACH
        case UInt8(SO_EE_ORIGIN_ICMP6): type == ICMPV6_DEST_UNREACH && icmpCode == ICMPV6_ADDR_UNREACH
        default: false
        }
    }
}
