import CLinux
import Glibc

/// The address of a local socket (unix(7)).
struct UnixAddress: Equatable, Sendable {
    /// The content of sun_path; a leading zero means the abstract name space.
    let path: [UInt8]

    /// Of a file; the caller knows that it fits.
    init(path: [UInt8]) { self.path = path }

    /// From NOTIFY_SOCKET: an absolute path, or `@` and an abstract name. Other families, and what is longer
    /// than sun_path, give nil.
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

    private static let capacity = MemoryLayout.size(ofValue: sockaddr_un().sun_path)
}
