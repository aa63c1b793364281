import Model
import Platform
import Testing

@testable import Probing

struct ErrorReportTests {
    /// struct cmsghdr and struct sock_extended_err of an ICMP error, then the offender's sockaddr_in.
    private static func control(errno: UInt8, type: UInt8, code: UInt8, offender: [UInt8]) -> [UInt8] {
        let parts: [[UInt8]] = [
            [48, 0, 0, 0, 0, 0, 0, 0],  // cmsg_len
            [0, 0, 0, 0, 11, 0, 0, 0],  // IPPROTO_IP, IP_RECVERR
            [errno, 0, 0, 0, 2, type, code, 0],  // ee_errno; SO_EE_ORIGIN_ICMP, type, code, pad
            [0, 0, 0, 0, 0, 0, 0, 0],  // ee_info, ee_data
            [2, 0, 0, 0], offender, [0, 0, 0, 0, 0, 0, 0, 0],  // AF_INET, port, address, zero
        ]
        return parts.flatMap { $0 }
    }

    private static func report(_ control: [UInt8]) -> ErrorReport? {
        ControlMessages(control).data { $0 == 0 && $1 == 11 }.flatMap { ErrorReport($0, quoted: []) }
    }

    @Test("a control message of the error queue gives errno, ICMP type and code, and the sender")
    func whole() throws {
        let report = try #require(
            Self.report(Self.control(errno: 113, type: 3, code: 1, offender: [10, 9, 0, 2])))
        #expect(report.code == 113)
        #expect((report.origin, report.type, report.icmpCode) == (2, 3, 1))
        #expect(report.offender == IPAddress("10.9.0.2"))
    }

    @Test("a control message that is cut off anywhere is ignored")
    func truncated() {
        let whole = Self.control(errno: 113, type: 3, code: 1, offender: [10, 9, 0, 2])
        for count in 0..<whole.count {
            #expect(Self.report(Array(whole.prefix(count))) == nil, "\(count) bytes")
        }
    }

    @Test(
        "lengths that are negative, too small or beyond the end are not followed",
        arguments: [
            [0, 0, 0, 0, 0, 0, 0, 0], [15, 0, 0, 0, 0, 0, 0, 0], [255, 255, 255, 255, 255, 255, 255, 255],
            [255, 255, 255, 255, 255, 255, 255, 127], [49, 0, 0, 0, 0, 0, 0, 0],
        ] as [[UInt8]])
    func lengths(length: [UInt8]) {
        var bytes = Self.control(errno: 113, type: 3, code: 1, offender: [10, 9, 0, 2])
        bytes.replaceSubrange(0..<8, with: length)
        #expect(Self.report(bytes) == nil)
    }

    @Test("a second control message is found behind a control message of odd length")
    func second() {
        let first: [UInt8] = [17, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0]
        let report = Self.report(first + Self.control(errno: 1, type: 3, code: 3, offender: [10, 9, 0, 2]))
        #expect(report?.icmpCode == 3)
    }

    @Test(
        "the sender of an ICMP error decides what the error means",
        arguments: [
            // from another host: the packet was sent
            (UInt8(3), UInt8(1), [10, 9, 0, 2], "unanswered"), (3, 13, [10, 9, 0, 2], "unanswered"),
            // from this machine: the neighbour was silent, or the firewall refused
            (3, 1, [10, 9, 0, 1], "unanswered"), (3, 13, [10, 9, 0, 1], "unknown"),
            (3, 3, [10, 9, 0, 1], "unknown"),
        ] as [(UInt8, UInt8, [UInt8], String)])
    func judged(type: UInt8, code: UInt8, offender: [UInt8], expected: String) throws {
        let report = try #require(
            Self.report(Self.control(errno: 113, type: type, code: code, offender: offender)))
        let result = report.result(from: IPAddress("10.9.0.1"))
        let seen =
            switch result {
            case .answered: "answered"
            case .unanswered: "unanswered"
            case .refuted: "refuted"
            case .neverAnswered: "never answered"
            case .unknown: "unknown"
            }
        #expect(seen == expected)
    }

    @Test("a router's advice, such as a redirect, says nothing about the packet, which was forwarded")
    func advice() throws {
        for (type, isAdvice) in [(UInt8(5), true), (4, true), (3, false), (11, false)] {
            let control = Self.control(errno: 121, type: type, code: 1, offender: [10, 9, 0, 2])
            #expect(try #require(Self.report(control)).isAdvice == isAdvice, "\(type)")
            var sixth = control
            (sixth[20], sixth[21]) = (3, 137)  // SO_EE_ORIGIN_ICMP6, NDISC_REDIRECT
            #expect(try #require(Self.report(sixth)).isAdvice)
        }
    }

    @Test("a socket address is converted there and back, and nothing else is taken for one")
    func socketAddresses() {
        let index = InterfaceIndex(rawValue: 7)
        for text in ["10.9.0.2", "fd00:9::2", "fe80::1"] {
            let address = SocketAddress(IPAddress(text)!, port: 0x1234, on: index)
            #expect(SocketAddress(bytes: address.bytes) == address)
            #expect(address.scope == (text == "fe80::1" ? 7 : 0))
            let needed = address.family == .v4 ? 8 : 28
            for count in 0..<needed { #expect(SocketAddress(bytes: address.bytes.prefix(count)) == nil) }
        }
        #expect(SocketAddress(bytes: [1, 0] + [UInt8](repeating: 0, count: 30)) == nil)
    }
}
