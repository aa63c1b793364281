import Foundation
import Glibc
import Testing

@testable import Guarding

@Suite("What a worker and its guard say to each other", .timeLimit(.minutes(1))) struct GuardChannelTests {
    private static func record(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    }

    private static func order(_ record: [UInt8]) -> [UInt8] {
        [GuardChannel.Word.order.rawValue] + withUnsafeBytes(of: UInt32(record.count)) { Array($0) } + record
    }

    // The largest one exceeds the socket's buffer.
    @Test("a record of any length arrives whole", arguments: [0, 1, 4091, 4092, 100_000, 3_000_000])
    func lengths(_ count: Int) throws {
        let (ours, theirs) = try GuardChannel.open()
        defer { for end in [ours, theirs] { close(end) } }
        let record = Self.record(count)
        Thread.detachNewThread {
            if !GuardChannel.give(record, on: ours, timeout: .seconds(20)) {
                shutdown(ours, Int32(SHUT_RDWR))
            }
        }
        #expect(GuardChannel.takeOrder(from: theirs) == record)
    }

    @Test("it may come in pieces, wherever they end", arguments: [1, 3, 5, 6, 20])
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
        #expect(GuardChannel.takeOrder(from: theirs) == record)
    }

    @Test("no record is made of another word, of one that ends too soon, or of too long a one")
    func noRecord() throws {
        let whole = Self.order(Self.record(40))
        var tooLong = whole
        tooLong.replaceSubrange(1..<5, with: [0xff, 0xff, 0xff, 0xff])
        for message in [
            [GuardChannel.Word.dismissed.rawValue], Array(whole.prefix(3)), whole.dropLast(), tooLong, [],
        ] {
            let (ours, theirs) = try GuardChannel.open()
            send(ours, message, message.count, 0)
            close(ours)
            #expect(GuardChannel.takeOrder(from: theirs) == nil)
            close(theirs)
        }
    }

    @Test("who takes nothing is not waited for without end, and the dead not at all")
    func timeout() throws {
        let (ours, theirs) = try GuardChannel.open()
        #expect(!GuardChannel.give(Self.record(3_000_000), on: ours, timeout: .seconds(1)))
        close(theirs)
        #expect(!GuardChannel.give(Self.record(10), on: ours, timeout: .seconds(20)))
        close(ours)
    }
}
