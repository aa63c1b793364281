import CLinux
import Glibc
import Model
import Platform

/// A socket for echo requests to one address, one at a time. Closed when it is released.
@MainActor final class EchoSocket {
    let descriptor: Int32
    private let target: SocketAddress
    private let identifier: UInt16
    /// A raw IPv4 socket also returns the IP header.
    private let hasIPHeader: Bool
    /// nil: closed.
    private var source: EventSource?
    /// The current request, or the last one.
    private var message: EchoMessage?
    private var hear: @MainActor () -> Void = {}
    /// The request has brought its reply.
    private(set) var isAnswered = false

    /// Opens, binds and connects it; nothing is sent yet.
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

    /// No more events.
    func close() {
        source?.cancel()
        source = nil
        hear = {}
    }

    /// Sends a request that differs from all before it, so that no answer to an earlier one, nor an error of
    /// it, is taken for its own.
    /// - Parameter hear: called when there may be something to ``read(elapsed:)``.
    func ask(cookie: UInt64, _ hear: @escaping @MainActor () -> Void) throws(SystemError) {
        let message = EchoMessage(
            family: target.family, identifier: identifier,
            sequence: self.message.map { $0.sequence &+ 1 } ?? .random(in: .min ... .max), cookie: cookie)
        (self.message, self.hear, isAnswered) = (message, hear, false)
        let request = message.request
        try checkCount("send") { send(descriptor, request, request.count, send_no_signal) }
    }

    /// The socket is idle. It stays watched, which costs nothing while nothing arrives.
    /// - Parameter disturbed: called if something arrives.
    func rest(_ disturbed: @escaping @MainActor () -> Void) { hear = disturbed }

    /// Reads everything that is there; the result of the request if it is among it.
    func read(elapsed: Duration) -> ProbeResult? {
        guard let message else { return nil }
        var bytes = [UInt8](repeating: 0, count: 512)
        for _ in 0..<Self.readsAtOnce {
            let count = recv(descriptor, &bytes, bytes.count, message_dont_wait)
            if count > 0, isReply(Array(bytes.prefix(count)), to: message) {
                isAnswered = true
                return .answered(roundTrip: elapsed, detail: "\(target.address) answered")
            }
            // recv(2) reports a pending error once; its details are in the error queue.
            if count == -1, errno == EAGAIN { break }
        }
        return error(of: message)
    }

    /// A flood must not block the loop.
    private static let readsAtOnce = 64

    private func isReply(_ packet: [UInt8], to message: EchoMessage) -> Bool {
        guard hasIPHeader else { return message.isReply(packet) }
        return EchoMessage.strippingIPv4Header(packet).map(message.isReply) ?? false
    }

    private func error(of message: EchoMessage) -> ProbeResult? {
        for _ in 0..<Self.readsAtOnce {
            guard let report = ErrorReport.next(of: descriptor) else { return nil }
            if message.isQuoted(report.quoted) {
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
            // The group is not in the range, or the kernel has no ping sockets.
            return (try device.socket(family, type: SOCK_RAW, protocol: number), true)
        }
    }

    /// - Returns: the identifier of its requests; for a ping socket the kernel chooses it, as its port.
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
