import CLinux
import Glibc
import Platform

/// The protocol between a worker and its guard. Each has one end of a socket pair (socketpair(2)).
enum GuardChannel {
    /// The messages of the worker, one byte each. If the channel is closed without `dismissed`, the worker
    /// has died.
    enum Message: UInt8 {
        /// The record of the bounce follows: its length in bytes (UInt32 in host byte order), and then the
        /// record.
        case order = 0x6f  // o
        case lowered = 0x6c  // l
        case raised = 0x72  // r
        case dismissed = 0x64  // d
    }

    /// The single answer of the guard.
    enum Answer: UInt8 {
        /// The guard has the record and is ready.
        case ready = 0x67  // g
        /// The interface does not exist.
        case gone = 0x6e  // n
    }

    /// The longest valid record, in bytes. `IntentFile` has the same limit.
    private static let longestOrder = 64 << 20

    static func open() throws(SystemError) -> (ours: Int32, theirs: Int32) {
        var ends: [Int32] = [-1, -1]
        try check("socketpair") {
            socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
        }
        // The guard's end gets a descriptor number next to those of the lock and the directory, which the
        // guard keeps open, too. So the guard has fewer ranges of numbers to close.
        return (ours: ends[1], theirs: ends[0])
    }

    /// Sends one byte without blocking. The channel always has room for a byte, except while a record is
    /// being sent.
    static func sendByte(_ byte: UInt8, on channel: Int32) throws(SystemError) {
        var byte = byte
        try checkCount("send") { send(channel, &byte, 1, send_no_signal | message_dont_wait) }
    }

    /// Sends the record of a bounce. The socket keeps it, even if this process dies.
    /// - Parameter timeout: how long to wait each time that the socket's buffer is full.
    /// - Returns: false if the guard is dead, or did not read the whole record in time.
    static func sendOrder(_ record: [UInt8], on channel: Int32, timeout: Duration) -> Bool {
        let length = UInt32(clamping: record.count)
        var message = [Message.order.rawValue]
        message.reserveCapacity(1 + MemoryLayout<UInt32>.size + record.count)
        message += withUnsafeBytes(of: length) { Array($0) }
        message += record
        var rest = message[...]
        var flags = send_no_signal | message_dont_wait
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(channel, $0.baseAddress, $0.count, flags) }
            if count == -1, errno == EINTR { continue }
            if count == -1, errno == EAGAIN, flags & message_dont_wait != 0 {
                // This is rare: the buffer has room for hundreds of routes.
                setTimeout(timeout, on: channel)
                flags &= ~message_dont_wait
                continue
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Waits for the next byte. Returns nil if the other end is closed.
    static func receiveByte(from channel: Int32) throws(SystemError) -> UInt8? {
        try receive(1, from: channel)?.first
    }

    private static func setTimeout(_ timeout: Duration, on channel: Int32) {
        var duration = timeval(tv_sec: Int(timeout.components.seconds), tv_usec: 0)
        setsockopt(channel, SOL_SOCKET, SO_SNDTIMEO, &duration, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Waits for `Message.order` and reads the record that follows. Returns nil if something else arrives, or
    /// if the other end is closed before the end of the record. A read may ask for more bytes than the order
    /// has. It takes nothing of a later message, because the worker sends nothing more before the guard has
    /// answered.
    static func receiveOrder(from channel: Int32) throws(SystemError) -> [UInt8]? {
        let start = 1 + MemoryLayout<UInt32>.size
        guard var message = try receivePart(from: channel), message[0] == Message.order.rawValue else {
            return nil
        }
        while message.count < start {
            guard let more = try receivePart(from: channel) else { return nil }
            message += more
        }
        let count = message.withUnsafeBytes {
            Int($0.loadUnaligned(fromByteOffset: 1, as: UInt32.self))
        }
        guard count <= longestOrder else { return nil }
        if message.count < start + count {
            guard let rest = try receive(start + count - message.count, from: channel) else { return nil }
            message += rest
        }
        return Array(message[start..<start + count])
    }

    /// Waits for bytes and returns those that have arrived; nil if the other end is closed.
    private static func receivePart(from channel: Int32) throws(SystemError) -> [UInt8]? {
        var part = [UInt8](repeating: 0, count: usualOrder)
        let count = try checkCount("recv") { recv(channel, &part, usualOrder, 0) }
        return count > 0 ? Array(part[..<count]) : nil
    }

    /// The size of one read, in bytes. A longer record needs further reads.
    private static let usualOrder = 1 << 12

    private static func receive(_ count: Int, from channel: Int32) throws(SystemError) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var received = 0
        while received < count {
            let more = try checkCount("recv") {
                bytes.withUnsafeMutableBytes {
                    recv(channel, $0.baseAddress! + received, count - received, 0)
                }
            }
            guard more > 0 else { return nil }
            received += more
        }
        return bytes
    }
}
