import Glibc
import Model
import Platform

/// ICMP echo requests, each with the wait for its reply.
///
/// An unprivileged ping socket (icmp(7)) where net.ipv4.ping_group_range admits us, else a raw one. What
/// fails before the request is out leaves the answer unknown; what comes back afterwards is evidence.
///
/// A socket that has brought an answer is kept for the next request to the same target, for as long as nobody
/// tells of a change and nothing but answers comes in: to make one costs ten system calls, to ask by it
/// three.
@MainActor final class EchoProbes {
    private struct Key: Hashable {
        var index: InterfaceIndex
        var name: String
        var target: SocketAddress
    }

    /// So many are kept at most: what is left of the descriptors is for who needs one.
    static let most = 64

    /// Whether changes are told of (``networkChanged(_:)``); otherwise nothing is kept.
    var isToldOfChanges = false {
        didSet { if !isToldOfChanges { networkChanged(nil) } }
    }
    private let most: Int
    private var kept: [Key: EchoSocket] = [:]
    /// Counts what makes a socket old that is in use.
    private var changes = 0
    private var chance = RandomPool()

    init(most: Int = EchoProbes.most) { self.most = most }

    /// The sockets that wait for the next request.
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

    /// The interface, its addresses or its routes have changed (nil: of any): a socket from before may be
    /// dead, or send from an address that is no more.
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
            // What it says of itself may be of an earlier time: another one is tried.
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

    /// - Parameter changes: what had changed when the request was sent.
    private func release(_ socket: EchoSocket, _ key: Key, ifOnly changes: Int) {
        guard socket.isAnswered, isToldOfChanges, changes == self.changes, kept[key] == nil,
            kept.count < most
        else { return socket.close() }
        kept[key] = socket
        socket.rest { [weak self] in
            // An answer that comes too late, or an error: it would wake us again and again.
            self?.kept.removeValue(forKey: key)?.close()
        }
    }
}

/// Numbers that nobody can guess, fetched together (getentropy(3)).
struct RandomPool {
    /// As many as one call gives.
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
