import Foundation
import Glibc
import Testing

@testable import Guarding

@Suite("The channel between a worker and its guard", .timeLimit(.minutes(10))) struct GuardChannelTests {
    private static func record(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    }

    private static func order(_ record: [UInt8]) -> [UInt8] {
        [GuardChannel.Message.order.rawValue] + withUnsafeBytes(of: UInt32(record.count)) { Array($0) }
            + record
    }

    // The largest record exceeds the socket's buffer.
    @Test("an intent record of any length arrives whole", arguments: [0, 1, 4091, 4092, 100_000, 3_000_000])
    func lengths(_ count: Int) throws {
        let (ours, theirs) = try GuardChannel.open()
        defer { for end in [ours, theirs] { close(end) } }
        let record = Self.record(count)
        Thread.detachNewThread {
            if !GuardChannel.sendOrder(record, on: ours, timeout: .seconds(20)) {
                shutdown(ours, Int32(SHUT_RDWR))
            }
        }
        #expect(try GuardChannel.receiveOrder(from: theirs) == record)
    }

    @Test("an intent record that arrives in pieces of any size is put together", arguments: [1, 3, 5, 6, 20])
    func pieces(_ size: Int) throws {
        let (ours, theirs) = try GuardChannel.open()
        defer { for end in [ours, theirs] { close(end) } }
        let record = Self.record(40)
        let message = Self.order(record)
        Thread.detachNewThread {
            for start in stride(from: 0, to: message.count, by: size) {
                let piece = Array(message[start..<min(start + size, message.count)])
                send(ours, piece, piece.count, 0)
                usleep(500)
            }
        }
        #expect(try GuardChannel.receiveOrder(from: theirs) == record)
    }

    @Test("a message with a wrong code, too few bytes or too large a length gives no record")
    func noRecord() throws {
        let whole = Self.order(Self.record(40))
        var tooLong = whole
        tooLong.replaceSubrange(1..<5, with: [0xff, 0xff, 0xff, 0xff])
        for message in [
            [GuardChannel.Message.dismissed.rawValue], Array(whole.prefix(3)), whole.dropLast(), tooLong, [],
        ] {
            let (ours, theirs) = try GuardChannel.open()
            send(ours, message, message.count, 0)
            close(ours)
            #expect(try GuardChannel.receiveOrder(from: theirs) == nil)
            close(theirs)
        }
    }

    @Test("sending fails if the guard reads nothing until the timeout, and if the guard is dead")
    func timeout() throws {
        let (ours, theirs) = try GuardChannel.open()
        #expect(!GuardChannel.sendOrder(Self.record(3_000_000), on: ours, timeout: .seconds(1)))
        close(theirs)
        #expect(!GuardChannel.sendOrder(Self.record(10), on: ours, timeout: .seconds(20)))
        close(ours)
    }
}
