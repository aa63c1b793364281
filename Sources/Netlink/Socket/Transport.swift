import Dispatch
import Model
import Synchronization

/// The socket operations that a conversation needs. Tests replace them with a scripted kernel.
struct Transport: Sendable {
    /// Called when a conversation starts.
    var begin: @Sendable () -> Void = {}
    /// Sends one request. May block.
    var send: @Sendable ([UInt8]) throws(Failure) -> Void
    /// Returns the next datagram from the kernel; nil if none has arrived.
    var receive: @Sendable () throws(Failure) -> [UInt8]?
    /// Waits for a datagram. Returns false if none has arrived by the deadline.
    var awaitDatagram: @Sendable (DispatchTime) -> Bool
}

extension Transport {
    init(_ socket: NetlinkSocket) {
        self.init(
            send: { bytes throws(Failure) in try socket.send(bytes) },
            receive: { () throws(Failure) in try socket.receive() },
            awaitDatagram: { socket.awaitDatagram(until: $0) })
    }

    init(_ socket: ReopenedSocket) {
        self.init(
            begin: { socket.doubt() },
            send: { bytes throws(Failure) in try socket.living().send(bytes) },
            receive: { () throws(Failure) in try socket.current?.receive() },
            awaitDatagram: { socket.current?.awaitDatagram(until: $0) ?? false })
    }
}

/// A socket for requests that is checked before each conversation, and replaced if it is no longer alive. Any
/// thread may use it, but only one conversation at a time.
final class ReopenedSocket: Sendable {
    /// The socket; nil if it has not been opened yet.
    private let socket: Mutex<NetlinkSocket?>
    private let family: Int32
    private let isDoubtful = Atomic<Bool>(true)

    /// Opens the socket at once, as `NetlinkSocket` does.
    init(_ family: Int32) throws(Failure) {
        socket = Mutex(try NetlinkSocket(family))
        self.family = family
    }

    /// Opens the socket with the first request.
    init(later family: Int32) {
        socket = Mutex(nil)
        self.family = family
    }

    var current: NetlinkSocket? { socket.withLock { $0 } }

    /// Marks the socket for a check before the next request.
    func doubt() { isDoubtful.store(true, ordering: .relaxed) }

    /// The socket, checked and replaced where necessary. Fails if it cannot be opened.
    func living() throws(Failure) -> NetlinkSocket {
        let isDoubtful = isDoubtful.exchange(false, ordering: .relaxed)
        if let current, !isDoubtful || current.isAlive { return current }
        let fresh = try NetlinkSocket(family)
        socket.withLock { $0 = fresh }
        return fresh
    }
}
