import CLinux
import Foundation
import TestSupport
import Testing

@testable import Platform

@Suite("Messages to the journal and to syslog") struct LogSocketTests {
    @Test("a journal message has a line for each field, and a length before a value with a newline")
    func journal() {
        let bytes = LogMessage.journal([
            ("MESSAGE", "all is well"), ("A", "x\ny"), ("B", "=\u{301}"), ("C", ""),
        ])
        let expected =
            Array("MESSAGE=all is well\nA\n".utf8) + [3, 0, 0, 0, 0, 0, 0, 0]
            + Array("x\ny\nB==\u{301}\nC=\n".utf8)
        #expect(bytes == expected)
    }

    @Test("a syslog message has the daemon facility, level, time, program and one line")
    func syslog() throws {
        let message = LogMessage.syslog("near0: sick\nforged", level: .warning, program: "wifi-toggler")
        let text = String(decoding: message, as: UTF8.self)
        // LOG_DAEMON is 3 << 3, a warning 4 (syslog(3)).
        let pattern =
            #"^<28>[A-Z][a-z]{2} [ 0-9][0-9] [0-9]{2}:[0-9]{2}:[0-9]{2} wifi-toggler\[\#(getpid())\]: "#
        let head = try #require(text.range(of: pattern, options: .regularExpression), "\(text)")
        #expect(text[head.upperBound...] == #"near0: sick\u{a}forged"#)
    }

    @Test("a message that nobody accepts is dropped without blocking")
    func nobody() throws {
        let scratch = try Scratch()
        let path = scratch.path + "/socket"
        #expect(!LogSocket(path).send([1]))
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(descriptor) }
        let bound = UnixAddress(path: Array(path.utf8)).withSocketAddress { bind(descriptor, $0, $1) }
        #expect(bound == 0)
        #expect(LogSocket(path).send([7]))
        var buffer = [UInt8](repeating: 0, count: 8)
        #expect(recv(descriptor, &buffer, buffer.count, 0) == 1 && buffer[0] == 7)
        #expect(!LogSocket(path).send([UInt8](repeating: 0, count: 1 << 24)), "larger than a datagram")
        var sent = 0
        while sent < 10_000, LogSocket(path).send([1]) { sent += 1 }
        #expect(sent < 10_000, "nobody reads, and it would be waited for")
    }
}
