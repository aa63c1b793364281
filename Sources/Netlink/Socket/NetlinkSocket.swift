import CNetlink
import Dispatch
import Glibc
import Toggling

/// A netlink socket, made by libnl, closed with the last reference to it: whoever still sends or reads holds
/// one, so that its number is never used for something else meanwhile.
final class NetlinkSocket: Sendable {
    /// What the socket may hold before messages are lost, in octets; the kernel caps it at
    /// net.core.rmem_max (socket(7)). libnl's own default of 32 KiB is little for a burst of notifications.
    static let receiveBuffer: Int32 = 1 << 20
    /// The kernel makes no datagram of a dump larger than this (netlink_dump()).
    static let largestDatagram = 32768

    /// The file descriptor.
    let descriptor: Int32
    /// libnl's struct nl_sock as a number, used again only to join groups and to free it.
    private let handle: Int
    /// What the kernel calls it (nl_pid).
    private let port: UInt32

    /// Opens and binds a socket of a netlink family (NETLINK_ROUTE, NETLINK_GENERIC; netlink(7)).
    init(_ family: Int32, receiveBuffer: Int32 = NetlinkSocket.receiveBuffer) throws(Failure) {
        guard let socket = nl_socket_alloc() else { throw Failure(errno: ENOMEM) }
        errno = 0
        let result = nl_connect(socket, family)
        guard result == 0 else {
            let failure = errno == 0 ? Self.failure(libnl: result) : Failure(errno: errno)
            nl_socket_free(socket)
            throw failure
        }
        handle = Int(bitPattern: socket)
        descriptor = nl_socket_get_fd(socket)
        port = nl_socket_get_local_port(socket)
        var size = receiveBuffer
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        // What an older kernel does not know it refuses, and nothing here depends on it.
        for option in [NETLINK_EXT_ACK, NETLINK_CAP_ACK, NETLINK_GET_STRICT_CHK] { enable(option) }
    }

    deinit {
        // The number of a socket that is gone may be somebody else's: its few bytes are left alone.
        if isAlive { nl_socket_free(OpaquePointer(bitPattern: handle)) }
    }

    /// Whether the descriptor still is this socket (getsockname(2)). A fault elsewhere in the process may
    /// close it, or give its number to something else.
    var isAlive: Bool { name?.nl_pid == port }

    /// The multicast groups from 1 to 32 that it has joined, a bit each; nil: it is not alive.
    var groups: UInt32? { name.flatMap { $0.nl_pid == port ? $0.nl_groups : nil } }

    private var name: sockaddr_nl? {
        var name = sockaddr_nl()
        var size = socklen_t(MemoryLayout<sockaddr_nl>.size)
        let result = withUnsafeMutableBytes(of: &name) {
            getsockname(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size)
        }
        return result == 0 && name.nl_family == AF_NETLINK ? name : nil
    }

    /// Joins a multicast group (nl_socket_add_membership()).
    func join(_ group: Int32) throws(Failure) {
        let result = nl_socket_add_membership(OpaquePointer(bitPattern: handle), group)
        guard result == 0 else { throw Self.failure(libnl: result) }
    }

    /// Sends a request. The kernel carries it out before this returns: it blocks for as long as somebody else
    /// holds the lock that the request needs (send(2)).
    func send(_ bytes: [UInt8]) throws(Failure) {
        while Glibc.send(descriptor, bytes, bytes.count, 0) < 0 {
            if errno != EINTR { throw Failure(errno: errno) }
        }
    }

    /// The next datagram that came from the kernel, or nil where none is there now. In the middle of a dump
    /// the kernel goes on with it inside this call, which may block like `send` (recvfrom(2)).
    func receive() throws(Failure) -> [UInt8]? {
        while true {
            var sender = sockaddr_nl()
            var length = 0
            let datagram = [UInt8](unsafeUninitializedCapacity: Self.largestDatagram) { buffer, count in
                length = receive(into: buffer, from: &sender)
                count = min(max(length, 0), buffer.count)
            }
            switch length {
            case ..<0 where errno == EAGAIN: return nil
            case ..<0 where errno == EINTR: continue
            case ..<0: throw Failure(errno: errno)
            case (Self.largestDatagram + 1)...: throw .nonsense("a message is too long")
            default: if sender.nl_pid == 0 { return datagram }  // others may send, too: not from the kernel
            }
        }
    }

    /// Waits for a datagram; false: none came by the deadline (poll(2)).
    func awaitDatagram(until deadline: DispatchTime) -> Bool {
        let now = DispatchTime.now()
        guard now < deadline else { return false }
        let milliseconds = (deadline.uptimeNanoseconds - now.uptimeNanoseconds) / 1_000_000 + 1
        var question = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&question, 1, Int32(clamping: milliseconds)) > 0
    }

    private func receive(into buffer: UnsafeMutableBufferPointer<UInt8>, from sender: inout sockaddr_nl)
        -> Int
    {
        var size = socklen_t(MemoryLayout<sockaddr_nl>.size)
        return withUnsafeMutableBytes(of: &sender) { address in
            // MSG_TRUNC: the real length, also where the buffer is too short for it.
            recvfrom(
                descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT | MSG_TRUNC),
                address.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size)
        }
    }

    private func enable(_ option: Int32) {
        var on: Int32 = 1
        setsockopt(descriptor, SOL_NETLINK, option, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func failure(libnl code: Int32) -> Failure {
        Failure(kind: .other, words: String(cString: nl_geterror(code)))
    }
}
