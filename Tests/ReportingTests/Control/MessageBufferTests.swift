import Glibc
import Testing

@testable import Reporting

@Suite("Splitting bytes into messages") struct MessageBufferTests {
    /// The messages that come out of bytes in pieces of this size.
    private static func messages(_ bytes: [UInt8], by size: Int, longest: Int = .max) -> [[UInt8]]? {
        var buffer = MessageBuffer(longest: longest)
        var messages: [[UInt8]] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            guard let some = buffer.take(bytes[start..<min(start + size, bytes.count)]) else { return nil }
            messages += some.map(Array.init)
        }
        return messages
    }

    @Test("messages are the same for pieces of any size", arguments: 1...12)
    func pieces(_ size: Int) {
        let bytes = Array("one\0\0three, longer\04\0half".utf8)
        #expect(
            Self.messages(bytes, by: size)?.map { String(decoding: $0, as: UTF8.self) } == [
                "one", "", "three, longer", "4",
            ])
    }

    @Test("at most the given number of messages is taken, and the rest is taken later")
    func fewAtATime() {
        var buffer = MessageBuffer(longest: 9)
        #expect(buffer.take(Array("a\0b\0c\0d".utf8), atMost: 2)?.count == 2)
        #expect(buffer.hasMessage)
        #expect(buffer.take([], atMost: 2)?.map(Array.init) == [Array("c".utf8)])
        #expect(!buffer.hasMessage)
        #expect(buffer.take(Array("e".utf8), atMost: 2) == [] && !buffer.hasMessage)
        #expect(buffer.take(Array("\0f\0".utf8), atMost: 1)?.map(Array.init) == [Array("de".utf8)])
        #expect(buffer.hasMessage)
        #expect(buffer.take([], atMost: 9)?.map(Array.init) == [Array("f".utf8)])
    }

    @Test(
        "a message over the limit is refused, in one piece or several, with or without its end",
        arguments: [1, 3, 99])
    func tooLong(_ size: Int) {
        #expect(Self.messages(Array("1234\0".utf8), by: size, longest: 4)?.count == 1)
        #expect(Self.messages(Array("12345\0".utf8), by: size, longest: 4) == nil)
        #expect(Self.messages(Array("1\02\012345".utf8), by: size, longest: 4) == nil)
    }

    @Test("the time to split a message grows in proportion to the message's length")
    func long() throws {
        // If each piece caused a search from the start of the message, the longest reply would take minutes.
        let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: Varlink.longestReply) + [0]
        let before = Self.processorTime
        #expect(
            Self.messages(bytes, by: 1 << 10, longest: Varlink.longestReply)?.map(\.count) == [
                bytes.count - 1
            ])
        #expect(Self.processorTime - before < .seconds(5))
    }

    /// The processor time of this thread, which does not depend on other processes.
    private static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
