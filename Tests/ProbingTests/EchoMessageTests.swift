import Model
import Testing

@testable import Probing

struct EchoMessageTests {
    private let v4 = EchoMessage(family: .v4, identifier: 0x1234, sequence: 7, cookie: 0x0102_0304_0506_0708)
    private let v6 = EchoMessage(family: .v6, identifier: 0x1234, sequence: 7, cookie: 0x0102_0304_0506_0708)

    /// A reply to a request, as the far end makes it.
    private func reply(to message: EchoMessage) -> [UInt8] {
        var bytes = message.request
        bytes[0] = message.family == .v4 ? 0 : 129
        (bytes[2], bytes[3]) = (0, 0)
        let sum = EchoMessage.checksum(bytes)
        (bytes[2], bytes[3]) = (UInt8(sum >> 8), UInt8(sum & 0xff))
        return bytes
    }

    @Test("an echo request has a header of eight bytes and 56 bytes that begin with the cookie")
    func request() {
        let bytes = v4.request
        #expect(bytes.count == 64)
        #expect(bytes[0..<2] == [8, 0])  // echo request, code 0
        #expect(bytes[4..<8] == [0x12, 0x34, 0, 7])  // identifier, sequence
        #expect(bytes[8..<18] == [1, 2, 3, 4, 5, 6, 7, 8, 8, 9])  // cookie, pattern
        #expect(EchoMessage.checksum(bytes) == 0)
        #expect(v6.request[0] == 128)
    }

    @Test(
        "the checksum is that of RFC 1071",
        arguments: [
            ([0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7], 0x220d),  // the example of the RFC, inverted
            ([], 0xffff), ([0xff], 0x00ff), ([0xff, 0xff, 0xff, 0xff], 0),
        ] as [([UInt8], UInt16)])
    func checksum(bytes: [UInt8], expected: UInt16) {
        #expect(EchoMessage.checksum(bytes) == expected)
    }

    @Test("the reply to a request is recognised if it is complete and has nothing behind it")
    func recognised() {
        for message in [v4, v6] {
            let bytes = reply(to: message)
            #expect(message.isReply(bytes))
            for count in 0..<bytes.count { #expect(!message.isReply(bytes.prefix(count)), "\(count) bytes") }
            #expect(!message.isReply(bytes + [0]))
            #expect(!message.isReply(message.request), "our own request is no reply")
        }
    }

    @Test("a reply that differs in any byte is not taken for the probe's own", arguments: 0..<64)
    func altered(position: Int) {
        for message in [v4, v6] where message.family == .v4 || !(2...3).contains(position) {
            var bytes = reply(to: message)
            bytes[position] ^= 0x40
            #expect(!message.isReply(bytes))
        }
    }

    @Test("a reply to another probe of this program is not taken for this probe's")
    func others() {
        var other = v4
        other.identifier += 1
        #expect(!v4.isReply(reply(to: other)))
        other = v4
        other.sequence += 1
        #expect(!v4.isReply(reply(to: other)))
        other = v4
        other.cookie += 1
        #expect(!v4.isReply(reply(to: other)))
    }

    @Test("an ICMP error that quotes the head of the request belongs to the request")
    func quoted() {
        let head = v4.request.prefix(8)
        #expect(v4.isQuoted(head))
        #expect(v4.isQuoted(v4.request))
        #expect(!v4.isQuoted(head.prefix(7)))
        #expect(!v6.isQuoted(head))
        #expect(!v4.isQuoted([]))
    }

    @Test("the IP header is stripped by its length field, and only for ICMP over IPv4")
    func header() {
        let header: [UInt8] = [
            0x46, 0, 0, 28,  // version 4, six words; total length
            0, 0, 0, 0, 64, 1, 0, 0,  // identification, fragment; TTL, ICMP, checksum
            10, 9, 0, 2, 10, 9, 0, 1,  // source, destination
            1, 1, 1, 1,  // an option
        ]
        #expect(EchoMessage.strippingIPv4Header(header + [0, 1]) == [0, 1])
        #expect(EchoMessage.strippingIPv4Header(header)?.isEmpty == true)
        for count in 0..<header.count {
            #expect(EchoMessage.strippingIPv4Header(Array(header.prefix(count))) == nil, "\(count) bytes")
        }
        for (position, value) in [(0, UInt8(0x44)), (0, 0x66), (0, 0x4f), (9, 6)] {
            var bad = header
            bad[position] = value
            #expect(EchoMessage.strippingIPv4Header(bad) == nil, "byte \(position) is \(value)")
        }
    }
}
