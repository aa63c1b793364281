import CLinux
import Model
import Platform

/// An ICMP echo message of either family (RFC 792, RFC 4443). It has a header of 8 bytes and a payload of 56
/// bytes, which begins with a secret cookie of 8 bytes.
struct EchoMessage: Equatable {
    var family: SocketAddress.Family
    var identifier: UInt16
    var sequence: UInt16
    var cookie: UInt64

    /// The payload's size in bytes, as with ping(8). Some providers drop requests without payload.
    static let payloadSize = 56
    static let headerSize = 8
    private static let cookieSize = 8

    private var requestType: UInt8 { family == .v4 ? UInt8(ICMP_ECHO) : UInt8(ICMPV6_ECHO_REQUEST) }
    private var replyType: UInt8 { family == .v4 ? UInt8(ICMP_ECHOREPLY) : UInt8(ICMPV6_ECHO_REPLY) }

    /// The bytes of the request. The checksum is valid for IPv4. For IPv6, and for ping sockets, the kernel
    /// replaces it.
    var request: [UInt8] {
        var bytes = [requestType, 0, 0, 0] + identifier.bytes + sequence.bytes + payload
        let sum = Self.checksum(bytes).bytes
        bytes.replaceSubrange(2..<4, with: sum)
        return bytes
    }

    /// Whether a message is the reply to exactly this request. The bytes must not include an IP header.
    func isReply(_ message: some Collection<UInt8>) -> Bool {
        let bytes = Array(message)
        return bytes.count == Self.headerSize + Self.payloadSize && hasHeader(bytes, type: replyType)
            && (family == .v6 || Self.checksum(bytes) == 0)
            && bytes[Self.headerSize...].elementsEqual(payload)
    }

    /// Whether the packet that an ICMP error quotes begins with the header of this request.
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

    /// The Internet checksum (RFC 1071). It is 0 for a message that includes a valid checksum.
    static func checksum(_ bytes: [UInt8]) -> UInt16 {
        var sum: UInt32 = 0
        for index in stride(from: 0, to: bytes.count, by: 2) {
            sum += UInt32(bytes[index]) << 8 | (index + 1 < bytes.count ? UInt32(bytes[index + 1]) : 0)
            sum = sum & 0xffff + sum >> 16
        }
        return ~UInt16(truncatingIfNeeded: sum)
    }

    /// The ICMP message in an IPv4 packet from a raw socket; nil if the packet is invalid.
    static func strippingIPv4Header(_ packet: [UInt8]) -> ArraySlice<UInt8>? {
        let shortest = 20
        guard packet.count >= shortest, packet[0] >> 4 == 4, packet[9] == 1 else { return nil }
        let length = Int(packet[0] & 0x0f) * 4
        guard length >= shortest, length <= packet.count else { return nil }
        return packet[length...]
    }
}
