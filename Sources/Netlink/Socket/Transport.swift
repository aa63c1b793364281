import Dispatch
import Model
import Synchronization

/// What a conversation needs from a socket: the seam where tests insert a scripted kernel.
struct Transport: Sendable {
    /// A conversation begins.
    var begin: @Sendable () -> Void = {}
    /// Sends one request; may block.
    var send: @Sendable ([UInt8]) throws(Failure) -> Void
    /// The next datagram from the kernel; nil: none is there now.
    var receive: @Sendable () throws(Failure) -> [UInt8]?
    /// Waits for a datagram; false: none came by the deadline.
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

/// A socket for requests, which is replaced if it is found dead before a conversation. One conversation at a
/// time uses it, on any thread.
final class ReopenedSocket: Sendable {
    /// nil: not opened yet.
    private let socket: Mutex<NetlinkSocket?>
    private let family: Int32
    private let isDoubtful = Atomic<Bool>(true)

    /// As `NetlinkSocket`.
    init(_ family: Int32) throws(Failure) {
        socket = Mutex(try NetlinkSocket(family))
        self.family = family
    }

    /// Opened with the first request.
    init(later family: Int32) {
        socket = Mutex(nil)
        self.family = family
    }

    var current: NetlinkSocket? { socket.withLock { $0 } }

    /// It is checked before the next request.
    func doubt() { isDoubtful.store(true, ordering: .relaxed) }

    func living() throws(Failure) -> NetlinkSocket {
        let isDoubtful = isDoubtful.exchange(false, ordering: .relaxed)
        if let current, !isDoubtful || current.isAlive { return current }
        let fresh = try NetlinkSocket(family)
        socket.withLock { $0 = fresh }
        return fresh
    }
}
