import CLinux
import Foundation
import Glibc
import Synchronization

/// A TCP connection like a login's, from the far end of a link to a server of root at the near end. It has no
/// data at first, and is closed when the object is released.
final class LoginConnection {
    struct Failure: Error { var call: String, code: Int32 }

    /// CLONE_NEWNET.
    private static let network: Int32 = 0x4000_0000
    /// The server, the client, and the accepted connection.
    private var sockets: [Int32] = []
    private var talker: Talker?

    /// - Parameters:
    ///   - near: the address of the server.
    ///   - farNamespace: the namespace of the client.
    init(_ nearNamespace: String, at near: String, from farNamespace: String) throws {
        let port = try Self.inside(nearNamespace) { try listen(near) }
        try Self.inside(farNamespace) { try connect(near, port) }
        let accepted = accept(sockets[0], nil, nil)
        guard accepted >= 0 else { throw Failure(call: "accept", code: errno) }
        sockets.append(accepted)
    }

    deinit {
        talker?.stop()
        for socket in sockets { close(socket) }
    }

    /// From now on the far end sends a byte every 20 ms.
    func keepTalking() {
        let talker = Talker()
        talker.start(on: sockets[1])
        self.talker = talker
    }

    /// Stops sending, and waits until all data is acknowledged, because the far end would retransmit the
    /// rest.
    func stopTalking() throws {
        talker?.stop()
        talker = nil
        try eventually("all that was said is acknowledged") { try unacknowledged == 0 }
        // The kernel counts the time since the last data in ticks of at most 10 ms (CONFIG_HZ=100).
        usleep(20_000)
    }

    /// Unacknowledged bytes of the client (SIOCOUTQ, tcp(7)).
    private var unacknowledged: Int32 {
        get throws {
            var bytes: Int32 = 0
            try check("ioctl", ioctl(sockets[1], UInt(TIOCOUTQ), &bytes))
            return bytes
        }
    }

    private func listen(_ address: String) throws -> UInt16 {
        let socket = try open(address)
        try Self.with(address, port: 0) { try check("bind", bind(socket, $0, $1)) }
        try check("listen", Glibc.listen(socket, 1))
        var name = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let result = withUnsafeMutableBytes(of: &name) {
            getsockname(socket, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size)
        }
        try check("getsockname", result)
        return UInt16(bigEndian: name.sin6_port)  // in the same place for IPv4
    }

    private func connect(_ address: String, _ port: UInt16) throws {
        let socket = try open(address)
        try Self.with(address, port: port) { try check("connect", Glibc.connect(socket, $0, $1)) }
    }

    private func open(_ address: String) throws -> Int32 {
        let family = address.contains(":") ? AF_INET6 : AF_INET
        let result = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        try check("socket", result)
        sockets.append(result)
        return result
    }

    private func check(_ call: String, _ result: Int32) throws {
        if result < 0 { throw Failure(call: call, code: errno) }
    }

    private static func with(
        _ address: String, port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Void
    ) throws {
        if address.contains(":") {
            var name = sockaddr_in6()
            name.sin6_family = sa_family_t(AF_INET6)
            name.sin6_port = port.bigEndian
            inet_pton(AF_INET6, address, &name.sin6_addr)
            try withUnsafePointer(to: name) {
                try $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    try body($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
                }
            }
        } else {
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = port.bigEndian
            inet_pton(AF_INET, address, &name.sin_addr)
            try withUnsafePointer(to: name) {
                try $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    try body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
    }

    /// Runs `body` with this thread in a namespace. The sockets that it opens belong to that namespace.
    private static func inside<Result>(_ namespace: String, _ body: () throws -> Result) throws -> Result {
        let home = Glibc.open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)
        let there = Glibc.open("/run/netns/" + namespace, O_RDONLY | O_CLOEXEC)
        defer {
            close(home)
            close(there)
        }
        guard home != -1, there != -1, setns(there, network) == 0 else {
            throw Failure(call: "setns", code: errno)
        }
        defer { if setns(home, network) != 0 { fatalError("cannot come back from \(namespace)") } }
        return try body()
    }
}

/// A thread that sends a byte every 20 ms.
private final class Talker: Sendable {
    private static let pause: UInt32 = 20_000
    private let isOver = Atomic<Bool>(false)
    private let ended = DispatchSemaphore(value: 0)

    func start(on socket: Int32) {
        Thread.detachNewThread {
            while !self.isOver.load(ordering: .relaxed) {
                _ = send(socket, "x", 1, send_no_signal | message_dont_wait)
                usleep(Self.pause)
            }
            self.ended.signal()
        }
    }

    /// Waits until the thread has stopped, so that the number of its descriptor is not reused before.
    func stop() {
        isOver.store(true, ordering: .relaxed)
        ended.wait()
    }
}
