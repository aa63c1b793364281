import CLinux
import Glibc

/// The address of a local socket (unix(7)).
struct UnixAddress: Equatable, Sendable {
    /// The content of sun_path. A zero at its start means the abstract name space.
    let path: [UInt8]

    /// The address of a file. The caller makes sure that the path fits.
    init(path: [UInt8]) { self.path = path }

    /// The address in NOTIFY_SOCKET: an absolute path, or `@` and an abstract name. Returns nil for other
    /// address families, and for a path that does not fit into sun_path.
    init?(notifySocket: String) {
        var path = Array(notifySocket.utf8)
        guard path.count > 1, path.count < Self.capacity, !path.contains(0) else { return nil }
        switch path[0] {
        case UInt8(ascii: "@"): path[0] = 0
        case UInt8(ascii: "/"): break
        default: return nil
        }
        self.path = path
    }

    func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let length = MemoryLayout.offset(of: \sockaddr_un.sun_path)! + path.count
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
        }
    }

    /// Sends one datagram from a new socket. Waits for at most 100 ms if the receiver is busy.
    /// - Returns: false if the datagram was not sent.
    func send(_ message: [UInt8]) -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor != -1 else { return false }
        defer { close(descriptor) }
        var timeout = timeval(tv_sec: 0, tv_usec: Int(Output.timeout) * 1000)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        return withSocketAddress { pointer, length in
            sendto(descriptor, message, message.count, send_no_signal, pointer, length)
        } == message.count
    }

    private static let capacity = MemoryLayout.size(ofValue: sockaddr_un().sun_path)
}
