import Dispatch
import Toggling

/// Reads what is multicast to a socket, on the main queue, message by message.
@MainActor
final class Listener {
    private let source: any DispatchSourceRead
    private let socket: NetlinkSocket
    private let overran: @MainActor () -> Void
    private let heard: @MainActor (Message) -> Void
    /// Datagrams read before the event loop gets its turn again.
    private static let burst = 64

    /// - Parameters:
    ///   - overran: Messages were lost (ENOBUFS), or could not be read.
    ///   - heard: One message.
    init(
        to socket: NetlinkSocket, overran: @escaping @MainActor () -> Void,
        heard: @escaping @MainActor (Message) -> Void
    ) {
        self.socket = socket
        self.overran = overran
        self.heard = heard
        source = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: .main)
        source.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.read() } }
        // The source holds the socket until it has let go of its number.
        source.setCancelHandler { withExtendedLifetime(socket) {} }
        source.activate()
    }

    isolated deinit { source.cancel() }

    private func read() {
        for _ in 0..<Self.burst {
            do throws(Failure) {
                guard let datagram = try socket.receive() else { return }
                // The handler of one message may have released this listener: then the rest is not wanted.
                for message in Message.split(datagram) where !source.isCancelled { heard(message) }
            } catch {
                overran()
                // The kernel reports an overrun once; any other error would come back for ever.
                if error.kind != .lost { return source.cancel() }
            }
        }
    }
}
