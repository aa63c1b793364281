import Model
import Platform

/// Reads a socket's multicast messages on the event loop.
@MainActor
final class Listener {
    /// The event source; nil after reading has stopped.
    private var source: EventSource?
    let socket: NetlinkSocket
    /// The multicast groups that the socket had joined when the listener was created, one bit each.
    private let joined: UInt32
    private let overran: @MainActor () -> Void
    private let broke: @MainActor () -> Void
    private let heard: @MainActor (Message) -> Void
    /// The most datagrams that are read before the event loop handles other events.
    private static let burst = 64

    /// - Parameters:
    ///   - overran: called when messages were lost (ENOBUFS), or could not be read.
    ///   - broke: called when the socket can no longer be read.
    ///   - heard: called with each message.
    init(
        to socket: NetlinkSocket, overran: @escaping @MainActor () -> Void,
        broke: @escaping @MainActor () -> Void,
        heard: @escaping @MainActor (Message) -> Void
    ) throws(Failure) {
        self.socket = socket
        joined = socket.groups ?? 0
        self.overran = overran
        self.broke = broke
        self.heard = heard
        do throws(SystemError) {
            source = try EventSource.polling(socket.descriptor, for: .reading) { [weak self] in self?.read() }
        } catch {
            throw Failure(errno: error.code)
        }
    }

    // The event source must end before the socket closes its descriptor.
    isolated deinit { stop() }

    /// Stops reading: no handler is called any more. Releasing the listener is not enough inside a handler,
    /// because the running read keeps the listener.
    func stop() {
        source?.cancel()
        source = nil
    }

    /// Whether the socket is still open and a member of its groups.
    var canHear: Bool { socket.groups.map { $0 & joined == joined } ?? false }

    private func read() {
        for _ in 0..<Self.burst {
            do throws(Failure) {
                // A handler may have stopped this listener. In that case the rest is dropped.
                guard source != nil, let datagram = try socket.receive() else { return }
                for message in Message.split(datagram) where source != nil { heard(message) }
            } catch {
                // The kernel reports an overrun only once. Any other error would be reported for ever.
                guard error.kind == .lost else {
                    stop()
                    return broke()
                }
                overran()
            }
        }
    }
}
