import CLinux
import Foundation
import Glibc

/// The service manager's end of sd_notify(3): a datagram socket that keeps the messages.
final class NotificationSocket {
    struct Failure: Error { var code: Int32 }

    /// The value for NOTIFY_SOCKET.
    let path: String
    private let descriptor: Int32
    /// The assignments received so far, such as `READY=1`.
    private(set) var assignments: [String] = []
    /// The messages, as they were received.
    private(set) var received: [String] = []
    private var isOpen = true

    init(in directory: URL) throws {
        path = directory.appendingPathComponent("notify").path
        // A program that is started meanwhile must not inherit the socket.
        let kind = SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
        descriptor = socket(AF_UNIX, Int32(kind), 0)
        guard descriptor >= 0 else { throw Failure(code: errno) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0 else { throw Failure(code: errno) }
    }

    deinit { end() }

    /// Closes the socket.
    func end() {
        if isOpen { close(descriptor) }
        isOpen = false
    }

    /// Reads the waiting messages.
    func check() { receive() }

    /// Waits until an assignment with this beginning has come.
    func waitFor(_ beginning: String, within limit: Duration = .seconds(30)) throws {
        try eventually(
            "the service manager is told \(beginning)", within: limit, detail: "told: \(assignments)"
        ) {
            receive()
            return assignments.contains { $0.hasPrefix(beginning) }
        }
    }

    /// How many times an assignment has come.
    func count(_ assignment: String) -> Int {
        receive()
        return assignments.count { $0 == assignment }
    }

    private func receive() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let length = recv(descriptor, &buffer, buffer.count, 0)
            guard length > 0 else { return }
            let text = String(decoding: buffer[..<length], as: UTF8.self)
            received.append(text)
            assignments += text.split(separator: "\n").map(String.init)
        }
    }
}
