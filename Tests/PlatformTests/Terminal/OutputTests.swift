import Dispatch
import Foundation
import Model
import Synchronization
import Testing

@testable import Platform

struct OutputTests {
    @Test(
        "a log level is a prefix of the line if the journal reads it, and otherwise left out",
        arguments: [
            (LogLevel.error, "<3>x"), (.warning, "<4>x"), (.notice, "<5>x"), (.info, "<6>x"),
            (.debug, "<7>x"),
        ])
    func levels(level: LogLevel, expected: String) {
        #expect(Output.line("x", level: level, isJournal: true) == expected)
        #expect(Output.line("x", level: level, isJournal: false) == "x")
    }

    @Test(
        "characters that could steer a terminal or forge a line are escaped",
        arguments: [
            ("caf\u{e9} 网 \\x1b", "caf\u{e9} 网 \\x1b"), ("a\n<0>b", "a\\u{a}<0>b"),
            ("\u{1b}[2J", "\\u{1b}[2J"),
            ("\u{9b}31m", "\\u{9b}31m"), ("a\u{202e}b", "a\\u{202e}b"), ("a\u{2028}b", "a\\u{2028}b"),
            ("\u{7f}\r\0", "\\u{7f}\\u{d}\\u{0}"),
        ])
    func escaped(text: String, expected: String) {
        #expect(Output.escaped(text) == expected)
    }

    @Test(
        "the journal's stream is recognised by its device and inode, and by nothing else",
        arguments: [
            ("8:15", true), ("8:16", false), ("9:15", false), ("8:15:1", false), ("8", false), ("", false),
            (":", false), ("8:15 ", false), ("-8:15", false),
        ])
    func journal(stream: String, expected: Bool) {
        #expect(Output.names(stream, device: 8, inode: 15) == expected)
    }

    @Test("standard error is the journal if JOURNAL_STREAM names it")
    func standardError() {
        var status = stat()
        #expect(fstat(2, &status) == 0)
        #expect(Output.isJournal(environment: ["JOURNAL_STREAM": "\(status.st_dev):\(status.st_ino)"]))
        #expect(!Output.isJournal(environment: ["JOURNAL_STREAM": "\(status.st_dev):\(status.st_ino + 1)"]))
        #expect(!Output.isJournal(environment: [:]))
    }

    @Test("a line longer than a pipe's buffer arrives whole at a slow reader")
    func whole() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let (reading, writing) = (ends[0], ends[1])
        #expect(fcntl(writing, F_SETFL, O_NONBLOCK) == 0)
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
        let reader = SlowReader(descriptor: reading)
        let error = Output.writeWhole(bytes, descriptor: writing, timeout: 20_000)
        close(writing)
        #expect(error == nil)
        let isEqual = reader.wait() == bytes
        #expect(isEqual, "what arrived is not what was written")
        close(reading)
    }

    @Test("a line to a reader that is gone or does not read is dropped, without further harm")
    func lost() throws {
        Output.ignoreBrokenPipes()
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        #expect(fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0)
        let bytes = [UInt8](repeating: 0, count: 1_000_000)
        let unread = Output.writeWhole(bytes, descriptor: ends[1])
        #expect(unread?.code == ETIMEDOUT, "nobody reads")
        close(ends[0])
        let abandoned = Output.writeWhole(bytes, descriptor: ends[1])
        #expect(abandoned?.code == EPIPE, "the reader is gone")
        close(ends[1])
        let nowhere = Output.writeWhole(bytes, descriptor: -1)
        #expect(nowhere?.code == EBADF, "there is no descriptor")
    }
}

/// Reads a pipe to its end on another thread.
private final class SlowReader: Sendable {
    private let collected = Mutex<[UInt8]>([])
    private let finished = DispatchSemaphore(value: 0)

    init(descriptor: Int32) {
        Thread.detachNewThread { [self] in
            var part = [UInt8](repeating: 0, count: 10_000)
            while case let count = read(descriptor, &part, part.count), count > 0 {
                collected.withLock { $0 += part.prefix(count) }
            }
            finished.signal()
        }
    }

    func wait() -> [UInt8] {
        finished.wait()
        return collected.withLock(\.self)
    }
}
