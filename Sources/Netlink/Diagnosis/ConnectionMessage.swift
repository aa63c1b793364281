import CNetlink
import Glibc
import Model

/// A TCP socket as SOCK_DIAG_BY_FAMILY reports it (sock_diag(7), linux/inet_diag.h).
struct ConnectionMessage {
    /// TCP_ESTABLISHED, otherwise TCP_LISTEN.
    var isEstablished: Bool
    var local: IPAddress
    var localPort: UInt16
    var peer: IPAddress
    /// The interface that it is bound to, as all with a link-local address are; nil: none.
    var boundTo: InterfaceIndex?
    /// Of the process that made it.
    var user: UInt32
    /// Something was sent, or a keepalive was, and is not acknowledged.
    var isUnanswered: Bool
    /// Since the last data or acknowledgement came; nil: not reported, as for a listening socket.
    var heard: Duration?
    /// Segments received, whatever they contained (tcpi_segs_in, Linux 4.2 and later); nil: not reported. If
    /// there are none, `heard` is the age of the socket, which was created or restored (TCP_REPAIR).
    var segments: UInt32?

    /// TCP_ESTABLISHED and TCP_LISTEN (net/tcp_states.h of the kernel).
    private static let established: UInt8 = 1
    private static let listening: UInt8 = 10
    /// The offset of tcpi_segs_in in struct tcp_info (linux/tcp.h): the C library's structure ends before it.
    private static let segmentsOffset = 140

    /// nil: not a TCP socket in one of these states.
    static func parse(_ payload: Bytes) -> ConnectionMessage? {
        guard let message = payload.structure(inet_diag_msg.self),
            [established, listening].contains(message.idiag_state),
            let local = address(message.id.idiag_src, message.idiag_family),
            let peer = address(message.id.idiag_dst, message.idiag_family)
        else { return nil }
        let attributes = Attributes(payload.following(inet_diag_msg.self))
        let info = attributes[INET_DIAG_INFO]
        let durations = [\tcp_info.tcpi_last_data_recv, \.tcpi_last_ack_recv].compactMap { info?.field($0) }
        return ConnectionMessage(
            isEstablished: message.idiag_state == established, local: local,
            localPort: UInt16(bigEndian: message.id.idiag_sport), peer: peer,
            boundTo: message.id.idiag_if == 0
                ? nil : InterfaceIndex(rawValue: Int32(truncatingIfNeeded: message.id.idiag_if)),
            user: message.idiag_uid,
            isUnanswered: message.idiag_wqueue > 0 || info?.field(\tcp_info.tcpi_probes) ?? 0 > 0,
            heard: durations.min().map { .milliseconds(Int64($0)) },
            segments: info?.dropFirst(segmentsOffset).structure(UInt32.self))
    }

    /// An IPv4-mapped IPv6 address, as of a server that listens on both, becomes IPv4.
    private static func address(_ words: (UInt32, UInt32, UInt32, UInt32), _ family: UInt8) -> IPAddress? {
        let bytes = withUnsafeBytes(of: words) { Array($0) }
        switch Int32(family) {
        case AF_INET: return IPAddress(bytes: bytes.prefix(4))
        case AF_INET6:
            let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xff && bytes[11] == 0xff
            return IPAddress(bytes: isMapped ? bytes.suffix(4) : bytes[...])
        default: return nil
        }
    }

    /// All sockets of one family that are established or listen.
    static func request(family: Int32) -> Request {
        var header = inet_diag_req_v2()
        header.sdiag_family = UInt8(family)
        header.sdiag_protocol = UInt8(IPPROTO_TCP)
        header.idiag_ext = 1 << (UInt8(INET_DIAG_INFO) - 1)
        header.idiag_states = 1 << UInt32(established) | 1 << UInt32(listening)
        return Request(SOCK_DIAG_BY_FAMILY, flags: NLM_F_DUMP, header: header)
    }
}

extension ArraySlice<UInt8> {
    /// A member of a C structure whose length varies with the kernel; nil if it is not there.
    fileprivate func field<Structure, Value: BitwiseCopyable>(_ path: KeyPath<Structure, Value>) -> Value? {
        MemoryLayout<Structure>.offset(of: path).flatMap { dropFirst($0).structure(Value.self) }
    }
}
