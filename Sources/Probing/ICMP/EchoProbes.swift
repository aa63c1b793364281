import Glibc
import Model
import Platform

/// Sends ICMP echo requests and waits for their replies.
///
/// Uses an unprivileged ping socket (icmp(7)) if net.ipv4.ping_group_range allows it, or else a raw socket. A
/// failure before the request is sent leaves the result unknown; what comes back afterwards is evidence.
///
/// A socket that has received an answer is kept for the next request to the same target, as long as no change
/// is announced and only answers arrive: creating one costs ten system calls, using it three.
@MainActor final class EchoProbes {
    private struct Key: Hashable {
        var index: InterfaceIndex
        var name: String
        var target: SocketAddress
    }

    /// The most sockets that are kept, so that descriptors are left for other uses.
    static let most = 64

    /// Whether changes are announced (``networkChanged(_:)``); otherwise no socket is kept.
    var isToldOfChanges = false {
        didSet { if !isToldOfChanges { networkChanged(nil) } }
    }
    private let most: Int
    private var kept: [Key: EchoSocket] = [:]
    /// Counts changes that make a socket in use outdated.
    private var changes = 0
    private var chance = RandomPool()

    init(most: Int = EchoProbes.most) { self.most = most }

    /// The sockets that are kept for the next request.
    var idleSockets: [EchoSocket] { Array(kept.values) }

    func start(_ address: IPAddress, on device: Device, _ pending: PendingProbe) {
        let target = SocketAddress(address, on: device.index)
        do throws(SystemError) {
            let socket = try ask(target, device, pending)
            let (key, changes) = (Key(index: device.index, name: device.name, target: target), changes)
            pending.atEnd { [weak self] in self?.release(socket, key, ifOnly: changes) }
            pending.timeIsOver = { pending.end(.unanswered(detail: "\(address) did not answer")) }
        } catch {
            pending.end(.unknown(Failure(error)))
        }
    }

    /// The interface, its addresses or its routes have changed (nil: any interface): an earlier socket may be
    /// dead, or send from an address that is gone.
    func networkChanged(_ index: InterfaceIndex?) {
        changes += 1
        for (key, socket) in kept where index == nil || key.index == index {
            socket.close()
            kept[key] = nil
        }
    }

    private func ask(
        _ target: SocketAddress, _ device: Device, _ pending: PendingProbe
    ) throws(SystemError) -> EchoSocket {
        if let socket = kept.removeValue(forKey: Key(index: device.index, name: device.name, target: target))
        {
            // Its error may be of an earlier time: try a new socket.
            do throws(SystemError) { return try ask(by: socket, pending) } catch {}
        }
        return try ask(by: try EchoSocket(target, on: device), pending)
    }

    private func ask(by socket: EchoSocket, _ pending: PendingProbe) throws(SystemError) -> EchoSocket {
        pending.begin()
        try socket.ask(cookie: chance.next()) { [weak socket] in
            if let result = socket?.read(elapsed: pending.elapsed) { pending.end(result) }
        }
        return socket
    }

    /// - Parameter changes: the count when the request was sent.
    private func release(_ socket: EchoSocket, _ key: Key, ifOnly changes: Int) {
        guard socket.isAnswered, isToldOfChanges, changes == self.changes, kept[key] == nil,
            kept.count < most
        else { return socket.close() }
        kept[key] = socket
        socket.rest { [weak self] in
            // A late answer, or an error: the socket would cause more wake-ups.
            self?.kept.removeValue(forKey: key)?.close()
        }
    }
}

/// Unpredictable numbers, fetched in blocks (getentropy(3)).
struct RandomPool {
    /// The most that one call returns.
    private static let atOnce = 256 / MemoryLayout<UInt64>.size
    private var numbers: [UInt64] = []

    mutating func next() -> UInt64 {
        if numbers.isEmpty { fetch() }
        return numbers.removeLast()
    }

    private mutating func fetch() {
        numbers = [UInt64](repeating: 0, count: Self.atOnce)
        let result = numbers.withUnsafeMutableBytes { getentropy($0.baseAddress!, $0.count) }
        precondition(result == 0, "getentropy: error \(errno)")
    }
}
