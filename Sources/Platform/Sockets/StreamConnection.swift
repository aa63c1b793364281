import CLinux
import Glibc

/// One end of a stream between two processes of this machine (unix(7)), on the event loop: it never blocks.
@MainActor public final class StreamConnection {
    /// The user of the other end (SO_PEERCRED).
    public var user: UInt32 { peer.user }
    /// Whether the other end is a process of this process's user that holds CAP_NET_ADMIN.
    public var isOfNetworkAdministrator: Bool { peer.isNetworkAdministrator }
    /// Called with the received bytes.
    public var onBytes: (@MainActor ([UInt8]) -> Void)?
    /// Called when the other end has gone, or was disconnected because it does not read.
    public var onEnd: (@MainActor () -> Void)?
    /// Called when all waiting bytes have been sent.
    public var onSent: (@MainActor () -> Void)?

    private let peer: Peer
    private let descriptor: Int32
    /// nil: paused, or closed.
    private var reading: EventSource?
    private var writing: EventSource?
    private var isClosed = false
    /// Bytes that the kernel has not taken yet.
    private var unsent: [UInt8] = []

    /// The size of one read, in bytes.
    private static let piece = 1 << 12
    /// The kernel buffers this much for a client that does not read, and this process as much again.
    private static let kernelBuffer: Int32 = 1 << 15
    static let mostUnsent = 1 << 17

    /// From a non-blocking descriptor, which is closed with the connection.
    /// - Returns: nil if the kernel does not report the other end's user, or no descriptor is left.
    public init?(_ descriptor: Int32) {
        guard let peer = Peer(of: descriptor) else {
            Glibc.close(descriptor)
            return nil
        }
        (self.peer, self.descriptor) = (peer, descriptor)
        var size = Self.kernelBuffer
        setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        guard resume() else {
            Glibc.close(descriptor)
            isClosed = true
            return nil
        }
    }

    isolated deinit { close() }

    /// Reads nothing until it is resumed: the other end has to wait with what it sends.
    public func pause() {
        reading?.cancel()
        reading = nil
    }

    /// - Returns: whether it reads: not without memory, nor closed.
    @discardableResult
    public func resume() -> Bool {
        guard !isClosed, reading == nil else { return reading != nil }
        reading = try? EventSource.polling(descriptor, for: .reading) { [weak self] in self?.read() }
        return reading != nil
    }

    /// Whether the kernel has taken everything.
    public var isSent: Bool { unsent.isEmpty }

    /// Sends as much as the kernel takes now, and the rest later. A client that leaves too much unread is
    /// disconnected; a single answer may have any size.
    public func send(_ bytes: [UInt8]) {
        guard !isClosed, !bytes.isEmpty else { return }
        guard unsent.isEmpty || unsent.count + bytes.count <= Self.mostUnsent else { return fail() }
        unsent += bytes
        write()
    }

    /// Closes it from this side, without calling `onEnd`. What the kernel has taken still arrives.
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        reading?.cancel()
        writing?.cancel()
        (reading, writing) = (nil, nil)
        Glibc.close(descriptor)
    }

    private func fail() {
        let onEnd = onEnd
        close()
        onEnd?()
    }

    private func read() {
        var count = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.piece) { buffer, filled in
            count = Glibc.read(descriptor, buffer.baseAddress, Self.piece)
            filled = max(count, 0)
        }
        if count > 0 { onBytes?(bytes) } else if count == 0 || ![EAGAIN, EINTR].contains(errno) { fail() }
    }

    private func write() {
        while !unsent.isEmpty {
            let count = unsent.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, send_no_signal)
            }
            if count > 0 {
                unsent.removeFirst(count)
            } else if count == -1, errno == EAGAIN {
                return waitForRoom()
            } else if count != -1 || errno != EINTR {
                return fail()
            }
        }
        unsent = []
        guard let writing else { return }
        writing.cancel()
        self.writing = nil
        onSent?()
    }

    private func waitForRoom() {
        guard writing == nil else { return }
        writing = try? EventSource.polling(descriptor, for: .writing) { [weak self] in self?.write() }
        if writing == nil { fail() }
    }
}
