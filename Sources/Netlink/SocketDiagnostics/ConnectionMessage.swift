import CNetlink
import Glibc
import Model

/// A TCP socket as SOCK_DIAG_BY_FAMILY reports it (sock_diag(7), linux/inet_diag.h).
struct ConnectionMessage {
    /// True for TCP_ESTABLISHED; false for TCP_LISTEN.
    var isEstablished: Bool
    var local: IPAddress
    var localPort: UInt16
    var peer: IPAddress
    /// The interface to which the socket is bound (idiag_if); nil: none. A socket with an IPv6 link-local
    /// address is always bound to one.
    var boundTo: InterfaceIndex?
    /// The user ID of the process that created the socket.
    var user: UInt32
    /// Whether the peer has not yet acknowledged sent data or a keepalive probe.
    var isUnanswered: Bool
    /// The time since the last data or acknowledgement was received; nil if the kernel does not report it. It
    /// means nothing for a listening socket.
    var heard: Duration?
    /// The number of segments received, with or without data (tcpi_segs_in, Linux 4.2 and later); nil if the
    /// kernel does not report it. If it is 0, `heard` is only the time since the socket was created or
    /// restored (TCP_REPAIR).
    var segments: UInt32?

    /// The values of TCP_ESTABLISHED and TCP_LISTEN (net/tcp_states.h in the kernel).
    private static let established: UInt8 = 1
    private static let listening: UInt8 = 10
    /// The offset of tcpi_segs_in in the kernel's struct tcp_info (linux/tcp.h), in bytes. The C library's
    /// structure ends before that member.
    private static let segmentsOffset = 140

    /// Returns nil if this is not a TCP socket in one of the two states.
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

    /// Converts an address of a message. An IPv4-mapped IPv6 address becomes IPv4: a server that listens on
    /// both families reports its IPv4 peers in that form.
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

    /// Requests all sockets of one family (AF_INET, AF_INET6) that are established or listening.
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
    /// Reads a member of a C structure whose length depends on the kernel. Returns nil if the kernel's
    /// structure ends before it.
    fileprivate func field<Structure, Value: BitwiseCopyable>(_ path: KeyPath<Structure, Value>) -> Value? {
        MemoryLayout<Structure>.offset(of: path).flatMap { dropFirst($0).structure(Value.self) }
    }
}
