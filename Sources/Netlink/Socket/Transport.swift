import Dispatch
import Synchronization
import Toggling

/// What a conversation needs of a socket: the seam at which tests put a kernel of their own.
struct Transport: Sendable {
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

    /// A socket of this family that is opened when the first request is sent.
    init(opening family: Int32) {
        let opened = LateSocket()
        self.init(
            send: { bytes throws(Failure) in try opened.socket(family).send(bytes) },
            receive: { () throws(Failure) in try opened.socket(family).receive() },
            awaitDatagram: { deadline in
                (try? opened.socket(family))?.awaitDatagram(until: deadline) ?? false
            })
    }
}

private final class LateSocket: Sendable {
    private let socket = Mutex<NetlinkSocket?>(nil)

    func socket(_ family: Int32) throws(Failure) -> NetlinkSocket {
        try socket.withLock { (socket) throws(Failure) in
            if let socket { return socket }
            let opened = try NetlinkSocket(family)
            socket = opened
            return opened
        }
    }
}
