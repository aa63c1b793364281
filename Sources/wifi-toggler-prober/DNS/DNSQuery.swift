import CAres
import CLinux
import Glibc
import Model
import Platform

/// Asks one server for the A and AAAA records of a name. Each query has its own channel of c-ares, whose
/// sockets are all bound to the interface.
final class DNSQuery {
    let server: IPAddress
    private(set) var replies: [DNSReply] = []
    private var channel: ares_channel?
    private let device: Device
    private var fault: SocketFault?

    /// Whether both questions have ended.
    var isOver: Bool { replies.count == Self.types.count }
    var outcome: DNSJudgement.ServerOutcome { DNSJudgement.ServerOutcome(server: server, replies: replies) }

    private static let types = [ns_t_a, ns_t_aaaa]
    /// c-ares makes two tries and doubles the time-out. So the first try gets one third of the time, and the
    /// second the rest.
    private static let tries: Int32 = 2
    private static let shares: Int32 = 3
    /// The most addresses of each type. Further ones are ignored.
    private static let mostAddresses = 8

    init(_ name: String, server: IPAddress, device: Device, timeout: Duration) {
        self.server = server
        self.device = device
        guard open(timeout: timeout) else { return }
        for type in Self.types {
            let context = QueryContext(query: self, type: type)
            let pointer = Unmanaged.passRetained(context).toOpaque()
            ares_query(
                channel, name, Int32(ns_c_in.rawValue), Int32(type.rawValue), QueryContext.done, pointer)
        }
    }

    deinit { if let channel { ares_destroy(channel) } }

    /// Opens the channel. It uses no configuration of the machine: no search list, no hosts file, and no
    /// other server.
    private func open(timeout: Duration) -> Bool {
        var options = ares_options()
        options.flags = ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES | ARES_FLAG_NOCHECKRESP
        options.timeout = max(1, timeout.wholeMilliseconds / Self.shares)
        options.tries = Self.tries
        let mask =
            ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_DOMAINS | ARES_OPT_LOOKUPS
            | ARES_OPT_RESOLVCONF
        var status = cares_success
        withCString("b") { lookups in
            withCString("/dev/null") { file in
                options.lookups = lookups
                options.resolvconf_path = file
                status = ares_init_options(&channel, &options, mask)
            }
        }
        if status == cares_success, let channel {
            status = setServer(of: channel)
            DNSSockets.install(channel, for: self)
        }
        guard status != cares_success else { return true }
        let words = String(cString: ares_strerror(status))
        replies = Self.types.map { _ in .failed(words) }
        return false
    }

    /// Sets the server as bytes. In a text, c-ares 1.18 accepts an IPv6 address in brackets only with a port,
    /// and newer versions ignore a link-local address without an interface, which a bound socket does not
    /// need.
    private func setServer(of channel: ares_channel) -> Int32 {
        var node = ares_addr_port_node()
        node.family = server.isIPv6 ? AF_INET6 : AF_INET
        withUnsafeMutableBytes(of: &node.addr) { $0.copyBytes(from: server.bytes) }
        return ares_set_servers_ports(channel, &node)
    }

    private func withCString(_ text: String, _ body: (UnsafeMutablePointer<CChar>) -> Void) {
        var bytes = text.utf8CString.map { $0 }
        bytes.withUnsafeMutableBufferPointer { body($0.baseAddress!) }
    }

    // MARK: For the loop

    /// The descriptors to wait for (ares_getsock(3)).
    var polls: [pollfd] {
        guard let channel, !isOver else { return [] }
        var sockets = [ares_socket_t](repeating: -1, count: Int(ARES_GETSOCK_MAXNUM))
        let mask = UInt32(bitPattern: ares_getsock(channel, &sockets, Int32(sockets.count)))
        return sockets.enumerated().compactMap { position, socket in
            let reads = mask >> position & 1 == 1
            let writes = mask >> (position + Int(ARES_GETSOCK_MAXNUM)) & 1 == 1
            guard reads || writes else { return nil }
            let events = (reads ? POLLIN : 0) | (writes ? POLLOUT : 0)
            return pollfd(fd: socket, events: Int16(events), revents: 0)
        }
    }

    /// The time until c-ares wants to retry (ares_timeout(3)); nil if it is not waiting.
    var wait: Duration? {
        guard let channel, !isOver else { return nil }
        var duration = timeval()
        guard ares_timeout(channel, nil, &duration) != nil else { return nil }
        return .seconds(duration.tv_sec) + .microseconds(duration.tv_usec)
    }

    /// Handles a descriptor that is ready, or has a pending error, which is read like data.
    func proceed(_ poll: pollfd) {
        guard let channel else { return }
        let isWritable = Int32(poll.revents) & POLLOUT != 0
        ares_process_fd(channel, poll.fd, isWritable ? poll.fd : ARES_SOCKET_BAD)
    }

    /// Handles time-outs.
    func proceed() {
        guard let channel else { return }
        ares_process_fd(channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD)
    }

    // MARK: Callbacks of c-ares

    fileprivate func finished(_ type: __ns_type, status: Int32, answer: UnsafeBufferPointer<UInt8>) {
        guard status == cares_success else {
            replies.append(DNSReply(status: status, fault: fault))
            return
        }
        let (parsed, addresses) = type == ns_t_a ? Self.parse4(answer) : Self.parse6(answer)
        replies.append(
            parsed == cares_success && !addresses.isEmpty
                ? .addresses(addresses)
                : DNSReply(status: parsed == cares_success ? cares_enodata : parsed, fault: nil))
    }

    private static func parse4(_ answer: UnsafeBufferPointer<UInt8>) -> (Int32, [IPAddress]) {
        var records = [ares_addrttl](repeating: ares_addrttl(), count: mostAddresses)
        var count = Int32(records.count)
        let status = ares_parse_a_reply(answer.baseAddress, Int32(answer.count), nil, &records, &count)
        return (status, records.prefix(Int(max(0, count))).compactMap { bytes(of: $0.ipaddr) })
    }

    private static func parse6(_ answer: UnsafeBufferPointer<UInt8>) -> (Int32, [IPAddress]) {
        var records = [ares_addr6ttl](repeating: ares_addr6ttl(), count: mostAddresses)
        var count = Int32(records.count)
        let status = ares_parse_aaaa_reply(answer.baseAddress, Int32(answer.count), nil, &records, &count)
        return (status, records.prefix(Int(max(0, count))).compactMap { bytes(of: $0.ip6addr) })
    }

    private static func bytes<Address>(of address: Address) -> IPAddress? {
        withUnsafeBytes(of: address) { IPAddress(bytes: Array($0)) }
    }

    func openSocket(family: Int32, type: Int32, protocol number: Int32) -> Int32 {
        do throws(SystemError) {
            return try device.socket(family: family, type: type, protocol: number)
        } catch {
            fault = SocketFault(code: error.code, origin: .ours)
            errno = error.code
            return -1
        }
    }

    /// Stores the error of a failed call on a socket. The error queue tells who has sent the error.
    func failed(_ descriptor: Int32) {
        let code = errno
        guard ![EAGAIN, EWOULDBLOCK, EINTR, EINPROGRESS].contains(code) else { return }
        fault = SocketFault(of: descriptor, target: server) ?? .local(code)
        errno = code
    }
}

/// The context of the callback for a question.
private final class QueryContext {
    weak var query: DNSQuery?
    let type: __ns_type

    init(query: DNSQuery, type: __ns_type) {
        self.query = query
        self.type = type
    }

    /// The callback of c-ares. It runs exactly once for each question, even if the channel is destroyed and
    /// the result is not needed any more.
    static let done: ares_callback = { context, status, _, answer, length in
        let context = Unmanaged<QueryContext>.fromOpaque(context!).takeRetainedValue()
        let bytes = UnsafeBufferPointer(start: UnsafePointer(answer), count: Int(max(0, length)))
        context.query?.finished(context.type, status: status, answer: bytes)
    }
}
