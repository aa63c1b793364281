import Model
import Platform

/// Reads the multicasts of a socket, on the event loop, message by message.
@MainActor
final class Listener {
    /// nil: reading has stopped.
    private var source: EventSource?
    let socket: NetlinkSocket
    /// The groups that the socket had joined at first.
    private let joined: UInt32
    private let overran: @MainActor () -> Void
    private let broke: @MainActor () -> Void
    private let heard: @MainActor (Message) -> Void
    /// Datagrams read before the event loop continues.
    private static let burst = 64

    /// - Parameters:
    ///   - overran: messages were lost (ENOBUFS), or could not be read.
    ///   - broke: nothing more can be read.
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

    // Before the socket closes its descriptor.
    isolated deinit { source?.cancel() }

    /// Whether the socket is still there, and in its groups.
    var canHear: Bool { socket.groups.map { $0 & joined == joined } ?? false }

    private func read() {
        for _ in 0..<Self.burst {
            do throws(Failure) {
                guard let datagram = try socket.receive() else { return }
                // The handler of one message may have released this listener: then drop the rest.
                for message in Message.split(datagram) where source != nil { heard(message) }
            } catch {
                // The kernel reports an overrun once; any other error would come back for ever.
                guard error.kind == .lost else {
                    source?.cancel()
                    source = nil
                    return broke()
                }
                overran()
            }
        }
    }
}
