import CNetlink
import Dispatch
import Glibc
import Model

/// A netlink socket (netlink(7)). It is closed with the last reference to it. Every sender and reader keeps a
/// reference, so that the descriptor's number is not reused while they need it.
final class NetlinkSocket: Sendable {
    /// The size of the receive buffer for multicast messages, in bytes (SO_RCVBUF, socket(7)). The kernel
    /// limits it to net.core.rmem_max.
    static let receiveBuffer: Int32 = 1 << 20
    /// The largest datagram, in bytes, that the kernel sends in a dump (netlink_dump() in the kernel).
    static let largestDatagram = 32768

    /// How long the socket is needed.
    enum Use: Sendable {
        /// For a process that ends soon: the socket is not bound, and the kernel assigns its address with the
        /// first request.
        case brief
        /// For a service: the socket is bound, because its address is needed to check it (``isAlive``).
        case lasting

        /// How many datagrams are read at once. A long-lived process keeps the memory of its largest read, so
        /// it reads only as many as a check needs: the answers about a link and its gateway.
        fileprivate var datagrams: Int {
            switch self {
            case .brief: netlink_datagrams_at_most
            case .lasting: 2
            }
        }
    }

    /// The file descriptor.
    let descriptor: Int32
    /// The socket's address, which the kernel assigned (nl_pid); nil if the socket is not bound.
    private let port: UInt32?
    private let datagramsAtOnce: Int

    /// Opens a socket of a netlink family (NETLINK_ROUTE, NETLINK_GENERIC; netlink(7)). Fails with the errno
    /// of socket(2) or bind(2).
    /// - Parameters:
    ///   - receiveBuffer: in bytes; nil for the kernel's default. The default is enough for answers, because
    ///     the kernel continues a dump only as fast as it is read.
    ///   - tellsMore: whether to call ``tellMore()``.
    init(
        _ family: Int32, _ use: Use = .lasting, receiveBuffer: Int32? = nil, tellsMore: Bool = true
    ) throws(Failure) {
        let descriptor = socket(AF_NETLINK, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), family)
        guard descriptor >= 0 else { throw Failure(errno: errno) }
        if var receiveBuffer { Self.set(SOL_SOCKET, SO_RCVBUF, &receiveBuffer, of: descriptor) }
        do throws(Failure) {
            port = use == .lasting ? try Self.bind(descriptor) : nil
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        datagramsAtOnce = use.datagrams
        if tellsMore { tellMore() }
    }

    deinit {
        // If the socket is no longer alive, its number may belong to another file.
        if isAlive { close(descriptor) }
    }

    /// Makes the kernel explain why it refuses a request (NETLINK_EXT_ACK), and filter dumps strictly
    /// (NETLINK_GET_STRICT_CHK). An older kernel refuses an option that it does not know; the program works
    /// without these options.
    func tellMore() {
        var on: Int32 = 1
        for option in [NETLINK_EXT_ACK, NETLINK_GET_STRICT_CHK] {
            Self.set(SOL_NETLINK, option, &on, of: descriptor)
        }
    }

    /// Whether the descriptor still refers to this socket (getsockname(2)). A bug elsewhere in the process
    /// may have closed it, or reused its number. A socket that is not bound cannot be checked, and counts as
    /// alive.
    var isAlive: Bool { port == nil || Self.name(of: descriptor)?.nl_pid == port }

    /// The multicast groups 1 to 32 that the socket has joined, one bit each; nil if the socket is no longer
    /// alive.
    var groups: UInt32? {
        Self.name(of: descriptor).flatMap { $0.nl_pid == port ? $0.nl_groups : nil }
    }

    private static func name(of descriptor: Int32) -> sockaddr_nl? {
        var name = sockaddr_nl()
        var size = socklen_t(MemoryLayout<sockaddr_nl>.size)
        let result = withUnsafeMutableBytes(of: &name) {
            getsockname(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size)
        }
        return result == 0 && name.nl_family == AF_NETLINK ? name : nil
    }

    /// Binds the socket to an address that the kernel chooses, and returns that address.
    private static func bind(_ descriptor: Int32) throws(Failure) -> UInt32 {
        var name = sockaddr_nl()
        name.nl_family = sa_family_t(AF_NETLINK)
        let result = withUnsafeBytes(of: &name) {
            Glibc.bind(
                descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                socklen_t(MemoryLayout<sockaddr_nl>.size))
        }
        guard result == 0, let port = Self.name(of: descriptor)?.nl_pid else { throw Failure(errno: errno) }
        return port
    }

    private static func set(_ level: Int32, _ option: Int32, _ value: inout Int32, of descriptor: Int32) {
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Joins a multicast group (NETLINK_ADD_MEMBERSHIP, netlink(7)). Fails with the errno of setsockopt(2).
    func join(_ group: Int32) throws(Failure) {
        var group = group
        let size = socklen_t(MemoryLayout<Int32>.size)
        guard setsockopt(descriptor, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, size) == 0 else {
            throw Failure(errno: errno)
        }
    }

    /// Sends a request. The kernel carries it out before this returns, and blocks while another process has
    /// the lock that the request needs (send(2)).
    func send(_ bytes: [UInt8]) throws(Failure) {
        while Glibc.send(descriptor, bytes, bytes.count, 0) < 0 {
            if errno != EINTR { throw Failure(errno: errno) }
        }
    }

    /// Reads the datagrams from the kernel that have arrived, joined in their order; nil if there are none
    /// (recvmmsg(2)). During a dump, the kernel continues the dump inside this call, which may block as
    /// `send` does.
    func receive() throws(Failure) -> [UInt8]? {
        let memory = UnsafeMutablePointer<UInt8>.allocate(
            capacity: Self.largestDatagram * datagramsAtOnce)
        defer { memory.deallocate() }
        let found = UnsafeMutableBufferPointer<netlink_datagram>.allocate(capacity: netlink_datagrams_at_most)
        defer { found.deallocate() }
        while true {
            let count = receive_netlink_datagrams(
                descriptor, memory, Self.largestDatagram, Int32(datagramsAtOnce), found.baseAddress)
            switch count {
            case ..<0 where errno == EAGAIN: return nil
            case ..<0 where errno == EINTR: continue
            case ..<0: throw Failure(errno: errno)
            default:
                let bytes = try Self.joined(UnsafeBufferPointer(found).prefix(Int(count)), memory)
                if !bytes.isEmpty { return bytes }
            }
        }
    }

    /// Joins the datagrams that the kernel has sent. Datagrams of other senders are dropped. Each datagram is
    /// padded to the alignment of a netlink message.
    static func joined(
        _ found: Slice<UnsafeBufferPointer<netlink_datagram>>, _ memory: UnsafePointer<UInt8>
    ) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        for (number, datagram) in found.enumerated() where datagram.sender == 0 {
            let length = Int(datagram.length)
            guard length <= largestDatagram else { throw .tooLong }
            let padding = -bytes.count & (Int(NLMSG_ALIGNTO) - 1)
            bytes += repeatElement(0, count: padding)
            bytes += UnsafeBufferPointer(start: memory + number * largestDatagram, count: length)
        }
        return bytes
    }

    /// Waits for a datagram (poll(2)). Returns false if none has arrived by the deadline.
    func awaitDatagram(until deadline: DispatchTime) -> Bool {
        while true {
            let now = DispatchTime.now()
            guard now < deadline else { return false }
            let milliseconds = (deadline.uptimeNanoseconds - now.uptimeNanoseconds) / 1_000_000 + 1
            var question = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let count = poll(&question, 1, Int32(clamping: milliseconds))
            // After a signal, wait for the rest of the time.
            if count >= 0 || errno != EINTR { return count > 0 }
        }
    }
}
