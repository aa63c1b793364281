import CLinux
import Glibc
import Model
import Platform

/// A socket for echo requests to one address. Only one request may be under way at a time. Closed when it is
/// released.
@MainActor final class EchoSocket {
    let descriptor: Int32
    private let target: SocketAddress
    private let identifier: UInt16
    /// Whether received packets begin with an IP header, as on a raw IPv4 socket.
    private let hasIPHeader: Bool
    /// The source of readable events; nil after ``close()``.
    private var source: EventSource?
    /// The request under way, or the last one.
    private var message: EchoMessage?
    private var hear: @MainActor () -> Void = {}
    /// Whether the last request was answered.
    private(set) var isAnswered = false

    /// Opens, binds and connects the socket. Sends nothing.
    /// - Throws: the error of the system call that failed.
    init(_ target: SocketAddress, on device: Device) throws(SystemError) {
        self.target = target
        let isRaw: Bool
        (descriptor, isRaw) = try Self.open(target.family, on: device)
        hasIPHeader = isRaw && target.family == .v4
        do throws(SystemError) {
            identifier = try Self.connect(descriptor, to: target, isRaw: isRaw)
            source = try EventSource.polling(descriptor, for: .reading, owning: true) { [weak self] in
                self?.hear()
            }
        } catch {
            Glibc.close(descriptor)
            throw error
        }
    }

    isolated deinit { close() }

    /// Closes the socket. No handler runs any more.
    func close() {
        source?.cancel()
        source = nil
        hear = {}
    }

    /// Sends a request that differs from all earlier ones, so that a late reply or error cannot be mistaken
    /// for one to this request.
    /// - Parameter hear: called when ``read(elapsed:)`` may find a result.
    func ask(cookie: UInt64, _ hear: @escaping @MainActor () -> Void) throws(SystemError) {
        let message = EchoMessage(
            family: target.family, identifier: identifier,
            sequence: self.message.map { $0.sequence &+ 1 } ?? .random(in: .min ... .max), cookie: cookie)
        (self.message, self.hear, isAnswered) = (message, hear, false)
        let request = message.request
        try checkCount("send") { send(descriptor, request, request.count, send_no_signal) }
    }

    /// Keeps the socket for later use. It is still watched, which causes no wake-up while nothing arrives.
    /// - Parameter disturbed: called if something arrives.
    func rest(_ disturbed: @escaping @MainActor () -> Void) { hear = disturbed }

    /// Reads what has arrived, up to the reply. Returns the result of the request; nil: there is no result
    /// yet.
    func read(elapsed: Duration) -> ProbeResult? {
        guard let message else { return nil }
        var bytes = [UInt8](repeating: 0, count: 512)
        for _ in 0..<Self.readsAtOnce {
            let count = recv(descriptor, &bytes, bytes.count, message_dont_wait)
            if count > 0, isReply(Array(bytes.prefix(count)), to: message) {
                isAnswered = true
                return .answered(roundTrip: elapsed, detail: "\(target.address) answered")
            }
            // recv(2) reports a pending error only once. Its details are in the error queue.
            if count == -1, errno == EAGAIN { break }
        }
        return error(of: message)
    }

    /// The most reads at a time, so that a flood of packets does not block the event loop.
    private static let readsAtOnce = 64

    private func isReply(_ packet: [UInt8], to message: EchoMessage) -> Bool {
        guard hasIPHeader else { return message.isReply(packet) }
        return EchoMessage.strippingIPv4Header(packet).map(message.isReply) ?? false
    }

    private func error(of message: EchoMessage) -> ProbeResult? {
        for _ in 0..<Self.readsAtOnce {
            guard let report = ErrorReport.next(of: descriptor) else { return nil }
            if message.isQuoted(report.quoted), !report.isAdvice {
                return report.result(from: SocketAddress.local(of: descriptor)?.address)
            }
        }
        return nil
    }

    private static func open(
        _ family: SocketAddress.Family, on device: Device
    ) throws(SystemError) -> (descriptor: Int32, isRaw: Bool) {
        let number = family == .v4 ? IPPROTO_ICMP : IPPROTO_ICMPV6
        do throws(SystemError) {
            return (try device.socket(family, type: SOCK_DGRAM, protocol: number), false)
        } catch {
            guard error.call == "socket" else { throw error }
            // No group of this process is in net.ipv4.ping_group_range, or the kernel has no ping sockets.
            return (try device.socket(family, type: SOCK_RAW, protocol: number), true)
        }
    }

    /// - Returns: the identifier of the requests. For a ping socket, the kernel chooses it as the socket's
    ///   port.
    private static func connect(
        _ descriptor: Int32, to target: SocketAddress, isRaw: Bool
    ) throws(SystemError) -> UInt16 {
        let identifier = UInt16.random(in: .min ... .max)
        if isRaw { try EchoFilter(target.family, identifier: identifier).attach(to: descriptor) }
        try check("connect") { target.withPointer { Glibc.connect(descriptor, $0, $1) } }
        if isRaw { return identifier }
        guard let local = SocketAddress.local(of: descriptor) else {
            throw SystemError(call: "getsockname", code: errno)
        }
        return local.port
    }
}
