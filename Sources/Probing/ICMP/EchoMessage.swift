import CLinux
import Model

/// An ICMP echo message of either family (RFC 792, RFC 4443): the header of eight bytes and 56 bytes of
/// payload, the first of them a secret cookie.
struct EchoMessage: Equatable {
    var family: SocketAddress.Family
    var identifier: UInt16
    var sequence: UInt16
    var cookie: UInt64

    /// The default of ping(8); providers drop empty requests.
    static let payloadSize = 56
    static let headerSize = 8
    private static let cookieSize = 8

    private var requestType: UInt8 { family == .v4 ? UInt8(ICMP_ECHO) : UInt8(ICMPV6_ECHO_REQUEST) }
    private var replyType: UInt8 { family == .v4 ? UInt8(ICMP_ECHOREPLY) : UInt8(ICMPV6_ECHO_REPLY) }

    /// The request. The checksum is IPv4's; for IPv6, and on ping sockets, the kernel computes its own.
    var request: [UInt8] {
        var bytes = [requestType, 0, 0, 0] + identifier.bytes + sequence.bytes + payload
        let sum = Self.checksum(bytes).bytes
        bytes.replaceSubrange(2..<4, with: sum)
        return bytes
    }

    /// Whether these bytes, an ICMP message without IP header, are the reply to exactly this request.
    func isReply(_ message: some Collection<UInt8>) -> Bool {
        let bytes = Array(message)
        return bytes.count == Self.headerSize + Self.payloadSize && hasHeader(bytes, type: replyType)
            && (family == .v6 || Self.checksum(bytes) == 0)
            && bytes[Self.headerSize...].elementsEqual(payload)
    }

    /// Whether these bytes, which an ICMP error quotes, begin with the header of this request.
    func isQuoted(_ message: some Collection<UInt8>) -> Bool { hasHeader(Array(message), type: requestType) }

    private func hasHeader(_ bytes: [UInt8], type: UInt8) -> Bool {
        bytes.count >= Self.headerSize && bytes[0] == type && bytes[1] == 0
            && bytes[4..<6].elementsEqual(identifier.bytes)
            && bytes[6..<8].elementsEqual(sequence.bytes)
    }

    private var payload: [UInt8] {
        let start = (0..<Self.cookieSize).map { UInt8(truncatingIfNeeded: cookie >> (56 - 8 * $0)) }
        return start + (Self.cookieSize..<Self.payloadSize).map { UInt8($0) }
    }

    /// The Internet checksum (RFC 1071): over a message that includes a valid checksum it is 0.
    static func checksum(_ bytes: [UInt8]) -> UInt16 {
        var sum: UInt32 = 0
        for index in stride(from: 0, to: bytes.count, by: 2) {
            sum += UInt32(bytes[index]) << 8 | (index + 1 < bytes.count ? UInt32(bytes[index + 1]) : 0)
            sum = sum & 0xffff + sum >> 16
        }
        return ~UInt16(truncatingIfNeeded: sum)
    }

    /// The ICMP message in an IPv4 packet from a raw socket; nil if it is invalid.
    static func strippingIPv4Header(_ packet: [UInt8]) -> ArraySlice<UInt8>? {
        let shortest = 20
        guard packet.count >= shortest, packet[0] >> 4 == 4, packet[9] == 1 else { return nil }
        let length = Int(packet[0] & 0x0f) * 4
        guard length >= shortest, length <= packet.count else { return nil }
        return packet[length...]
    }
}
