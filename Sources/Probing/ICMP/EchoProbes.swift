import Model
import Platform

/// Sends ICMP echo requests and waits for their replies.
///
/// Uses an unprivileged ping socket (icmp(7)) if net.ipv4.ping_group_range allows it, otherwise a raw socket.
/// If sending the request fails, the caller is told. An ICMP error of another host that arrives afterwards
/// is evidence, and so is an error of this machine that says that the next hop did not answer.
///
/// A socket that has received a reply is kept for the next request to the same target, until a change of the
/// network is announced, or anything arrives between two requests. A request with a new socket takes ten
/// system calls, with a kept socket three.
@MainActor final class EchoProbes {
    struct Key: Hashable {
        var index: InterfaceIndex
        var name: String
        var target: SocketAddress
    }

    /// The most sockets that are kept, so that enough descriptors remain for other uses.
    static let most = 64

    /// Whether a monitor reports changes (``networkChanged(_:)``). If not, no socket is kept.
    var isToldOfChanges = false {
        didSet { if !isToldOfChanges { networkChanged(nil) } }
    }
    private let most: Int
    /// The sockets that are kept for later requests.
    private(set) var kept: [Key: EchoSocket] = [:]
    /// Counts the reported changes. A socket that was in use during a change is not kept.
    private var changes = 0

    init(most: Int = EchoProbes.most) { self.most = most }

    /// - Throws: the error of the call that failed. Then nothing was sent, and the probe is still pending.
    func start(_ address: IPAddress, on device: Device, _ pending: PendingProbe) throws(SystemError) {
        let target = SocketAddress(address, on: device.index)
        let socket = try ask(target, device, pending)
        let (key, changes) = (Key(index: device.index, name: device.name, target: target), changes)
        pending.atEnd { [weak self] in self?.release(socket, key, ifOnly: changes) }
        pending.timeIsOver = { pending.end(.unanswered(detail: "\(address) did not answer")) }
    }

    /// Closes the kept sockets of an interface after a change of it, its addresses or its routes (nil: of all
    /// interfaces): a socket may be dead, or send from an address that was removed.
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
            // The error may be left from an earlier request. Try a new socket.
            do throws(SystemError) { return try ask(by: socket, pending) } catch {}
        }
        return try ask(by: try EchoSocket(target, on: device), pending)
    }

    private func ask(by socket: EchoSocket, _ pending: PendingProbe) throws(SystemError) -> EchoSocket {
        pending.begin()
        try socket.ask(cookie: .random(in: .min ... .max)) { [weak socket] in
            if let result = socket?.read(elapsed: pending.elapsed) { pending.end(result) }
        }
        return socket
    }

    /// - Parameter changes: the value of `changes` when the request was sent.
    private func release(_ socket: EchoSocket, _ key: Key, ifOnly changes: Int) {
        guard socket.isAnswered, isToldOfChanges, changes == self.changes, kept[key] == nil,
            kept.count < most
        else { return socket.close() }
        kept[key] = socket
        socket.rest { [weak self] in
            // A late reply or an error has arrived. Close the socket, or it would cause more wake-ups.
            self?.kept.removeValue(forKey: key)?.close()
        }
    }
}
