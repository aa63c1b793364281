import CLinux
import Glibc

/// One end of a local stream (unix(7)) on the event loop. It never blocks.
@MainActor public final class StreamConnection {
    /// The user ID of the other end (SO_PEERCRED).
    public var user: UInt32 { peer.user }
    /// Whether the other end is a process of this process's user that has CAP_NET_ADMIN.
    public var isOfNetworkAdministrator: Bool { peer.isNetworkAdministrator }
    /// Called with the received bytes.
    public var onBytes: (@MainActor ([UInt8]) -> Void)?
    /// Called when the other end has closed the connection, or was disconnected because it does not read.
    public var onEnd: (@MainActor () -> Void)?
    /// Called when all waiting bytes have been sent.
    public var onSent: (@MainActor () -> Void)?

    private let peer: Peer
    private let descriptor: Int32
    /// The source of readable events; nil if reading is paused, or the connection is closed.
    private var reading: EventSource?
    private var writing: EventSource?
    private var isClosed = false
    /// Bytes that the kernel has not taken yet.
    private var unsent: [UInt8] = []

    /// The most bytes of one read.
    private static let piece = 1 << 12
    /// The size of the kernel's send buffer, in bytes (SO_SNDBUF), for a client that does not read.
    private static let kernelBuffer: Int32 = 1 << 15
    /// The most unsent bytes that this process keeps for a client that does not read.
    static let mostUnsent = 1 << 17

    /// Takes over a non-blocking descriptor, which is closed with the connection. Returns nil if the kernel
    /// does not report the user of the other end, or if the descriptor cannot be watched.
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

    /// Stops reading until ``resume()`` is called. The other end then has to wait before it can send more.
    public func pause() {
        reading?.cancel()
        reading = nil
    }

    /// Starts reading again.
    /// - Returns: whether the connection is being read; false if it is closed, or if memory is lacking.
    @discardableResult
    public func resume() -> Bool {
        guard !isClosed, reading == nil else { return reading != nil }
        reading = try? EventSource.polling(descriptor, for: .reading) { [weak self] in self?.read() }
        return reading != nil
    }

    /// Whether the kernel has taken all bytes.
    public var isSent: Bool { unsent.isEmpty }

    /// Sends as much as the kernel takes now, and the rest later. A client that leaves too much unread is
    /// disconnected. A single message may have any size.
    public func send(_ bytes: [UInt8]) {
        guard !isClosed, !bytes.isEmpty else { return }
        guard unsent.isEmpty || unsent.count + bytes.count <= Self.mostUnsent else { return fail() }
        unsent += bytes
        write()
    }

    /// Closes the connection without calling `onEnd`. Bytes that the kernel has taken still arrive.
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
