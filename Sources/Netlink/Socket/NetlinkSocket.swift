import CNetlink
import Dispatch
import Glibc
import Model

/// A netlink socket, closed with the last reference to it: every sender and reader has one, so that its
/// descriptor number is not reused meanwhile.
final class NetlinkSocket: Sendable {
    /// Receive buffer of a socket for multicasts, in bytes; the kernel caps it at net.core.rmem_max
    /// (socket(7)).
    static let receiveBuffer: Int32 = 1 << 20
    /// The kernel makes no datagram of a dump larger than this (netlink_dump()).
    static let largestDatagram = 32768

    /// How long a socket is used.
    enum Use: Sendable {
        /// For a process that soon ends: the kernel assigns the address with the first request.
        case brief
        /// The socket may be checked (``isAlive``), for which its address is needed.
        case lasting

        /// How many datagrams are read at once. A long-lived process keeps the memory of its largest read,
        /// and so reads no more than each of its checks needs: the answers about a link and its gateway.
        fileprivate var datagrams: Int {
            switch self {
            case .brief: netlink_datagrams_at_most
            case .lasting: 2
            }
        }
    }

    /// The file descriptor.
    let descriptor: Int32
    /// The address that the kernel has assigned (nl_pid); nil: not read.
    private let port: UInt32?
    private let datagramsAtOnce: Int

    /// Opens a socket of a netlink family (NETLINK_ROUTE, NETLINK_GENERIC; netlink(7)).
    /// - Parameters:
    ///   - receiveBuffer: nil: the kernel's default, which is enough for answers: the kernel continues a dump
    ///     only as it is read.
    ///   - tellsMore: as ``tellMore()``.
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
        // The number of a dead socket may belong to another file.
        if isAlive { close(descriptor) }
    }

    /// From now on the kernel explains why it refuses a request (NETLINK_EXT_ACK), and filters dumps strictly
    /// (NETLINK_GET_STRICT_CHK). An older kernel refuses options that it does not know, and nothing here
    /// depends on them.
    func tellMore() {
        var on: Int32 = 1
        for option in [NETLINK_EXT_ACK, NETLINK_GET_STRICT_CHK] {
            Self.set(SOL_NETLINK, option, &on, of: descriptor)
        }
    }

    /// Whether the descriptor is still this socket (getsockname(2)). A fault elsewhere in the process may
    /// close it, or reuse its number.
    var isAlive: Bool { port == nil || Self.name(of: descriptor)?.nl_pid == port }

    /// The multicast groups from 1 to 32 that it has joined, a bit each; nil: it is not alive.
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

    /// Binds to an address that the kernel chooses.
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

    /// Joins a multicast group (NETLINK_ADD_MEMBERSHIP).
    func join(_ group: Int32) throws(Failure) {
        var group = group
        let size = socklen_t(MemoryLayout<Int32>.size)
        guard setsockopt(descriptor, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, size) == 0 else {
            throw Failure(errno: errno)
        }
    }

    /// Sends a request. The kernel carries it out before this returns: it blocks as long as another process
    /// has the lock that the request needs (send(2)).
    func send(_ bytes: [UInt8]) throws(Failure) {
        while Glibc.send(descriptor, bytes, bytes.count, 0) < 0 {
            if errno != EINTR { throw Failure(errno: errno) }
        }
    }

    /// The datagrams from the kernel that are there now, one after the other; nil if there is none. In the
    /// middle of a dump the kernel continues it inside this call, which may block like `send` (recvmmsg(2)).
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

    /// Keeps only what the kernel has sent: others may send, too. Each datagram is padded so that the next
    /// message may begin there.
    static func joined(
        _ found: Slice<UnsafeBufferPointer<netlink_datagram>>, _ memory: UnsafePointer<UInt8>
    ) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        for (number, datagram) in found.enumerated() where datagram.sender == 0 {
            let length = Int(datagram.length)
            guard length <= largestDatagram else { throw .nonsense("a message is too long") }
            let padding = -bytes.count & (Int(NLMSG_ALIGNTO) - 1)
            bytes += repeatElement(0, count: padding)
            bytes += UnsafeBufferPointer(start: memory + number * largestDatagram, count: length)
        }
        return bytes
    }

    /// Waits for a datagram; false: none came by the deadline (poll(2)).
    func awaitDatagram(until deadline: DispatchTime) -> Bool {
        let now = DispatchTime.now()
        guard now < deadline else { return false }
        let milliseconds = (deadline.uptimeNanoseconds - now.uptimeNanoseconds) / 1_000_000 + 1
        var question = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&question, 1, Int32(clamping: milliseconds)) > 0
    }
}
