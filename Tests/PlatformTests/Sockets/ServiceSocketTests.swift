import Foundation
import Glibc
import TestSupport
import Testing

@testable import Platform

@MainActor @Suite("The control socket's server", .timeLimit(.minutes(10)))
struct ServiceSocketTests {
    private final class Log {
        var connections: [StreamConnection] = []
        var bytes: [UInt8] = []
        var ends = 0
    }

    private let scratch: Scratch
    private let log = Log()
    init() throws { scratch = try Scratch() }

    private func serve(group: UInt32? = nil) throws -> ServiceSocket {
        let log = log
        return try ServiceSocket("control", in: scratch.path, group: group) { connection in
            connection.onBytes = { log.bytes += $0 }
            connection.onEnd = { log.ends += 1 }
            log.connections.append(connection)
        }
    }

    private func connect() throws -> Int32 {
        try ControlSocket.connect(to: "control", in: scratch.path, by: .stream)
    }

    private var file: stat {
        var status = stat()
        lstat(scratch.path + "/control", &status)
        return status
    }

    @Test("data arrives in both directions, and the peer's identity and end are known")
    func bothWays() async throws {
        let socket = try serve()
        let client = BlockingStream(try connect())
        try client.send(Array("hello".utf8), before: .max)
        #expect(await eventually { log.bytes == Array("hello".utf8) })
        #expect(log.connections.first?.user == geteuid())
        log.connections.first?.send(Array("world".utf8))
        #expect(try client.receive(before: .max) == Array("world".utf8))
        let other = try connect()
        #expect(await eventually { log.connections.count == 2 })
        close(other)
        #expect(await eventually { log.ends == 1 })
        log.connections[0].close()
        #expect(try client.receive(before: .max).isEmpty)
        #expect(log.ends == 1)
        socket.end()
    }

    @Test("a client waits at a full queue until it is accepted, or until its deadline")
    func crowded() async throws {
        let socket = try serve()
        var waiting: [Int32] = []
        let full = ControlSocket.Problem.refused(SystemError(call: "connect", code: EAGAIN))
        #expect(throws: full) { while waiting.count < 1000 { waiting.append(try connect()) } }
        #expect(throws: full) {
            try ControlSocket.connect(
                to: "control", in: scratch.path, by: .stream, before: BootClock.now() + 10_000_000)
        }
        let path = scratch.path
        let patient = Task.detached {
            let end = BootClock.now() + testTimeout.nanoseconds
            return try ControlSocket.connect(to: "control", in: path, by: .stream, before: end)
        }
        // Give the client time to find the queue full before the loop below accepts a connection.
        usleep(50_000)
        #expect(await eventually { log.connections.count == waiting.count + 1 })
        let client = BlockingStream(try await patient.value)
        log.connections.last?.send([1])
        #expect(try client.receive(before: .max) == [1])
        for descriptor in waiting { close(descriptor) }
        socket.end()
    }

    @Test("without a group, only the socket's owner may connect")
    func mode() throws {
        let alone = try serve()
        #expect(!alone.isOpenToGroup && file.st_mode & 0o777 == 0o600)
        alone.end()
    }

    @Test(
        "a group that is given may connect, too; the process stays in its own group",
        .enabled(if: geteuid() == 0, "only root may give a file to a group that it is not in"))
    func modeOfGroup() throws {
        let own = getegid()
        let group: UInt32 = 4242
        let open = try serve(group: group)
        #expect(open.isOpenToGroup && file.st_mode & 0o777 == 0o660 && file.st_gid == group)
        #expect(getegid() == own)
        open.end()
    }

    @Test("the socket's file is removed at the end, and that of a dead service is replaced")
    func stale() async throws {
        var socket: ServiceSocket? = try serve()
        // As if the service had been killed: nothing listens, and the socket's file still exists.
        socket = nil
        #expect(file.st_mode & S_IFMT == S_IFSOCK)
        #expect(throws: ControlSocket.Problem.none) { try connect() }
        socket = try serve()
        close(try connect())
        #expect(await eventually { log.connections.count == 1 })
        socket?.end()
        #expect(file.st_mode == 0)
    }

    @Test("a file or a symbolic link in the socket's place is left alone")
    func foreign() throws {
        try scratch.write("mine", to: "control")
        #expect(throws: SystemError(call: "bind", code: EEXIST)) { try serve() }
        #expect(try String(contentsOfFile: scratch.path + "/control", encoding: .utf8) == "mine")
        try FileManager.default.removeItem(atPath: scratch.path + "/control")
        try FileManager.default.createSymbolicLink(
            atPath: scratch.path + "/control", withDestinationPath: scratch.path + "/elsewhere")
        #expect(throws: SystemError(call: "bind", code: EEXIST)) { try serve() }
        #expect(!FileManager.default.fileExists(atPath: scratch.path + "/elsewhere"))
    }

    @Test("an answer of any size arrives, though the kernel does not accept it at once")
    func large() async throws {
        let socket = try serve()
        let client = BlockingStream(try connect())
        #expect(await eventually { !log.connections.isEmpty })
        let answer = (0..<(StreamConnection.mostUnsent * 4)).map { UInt8(truncatingIfNeeded: $0 / 7) }
        log.connections[0].send(answer)
        var received: [UInt8] = []
        // The answer is sent in several steps, and the event loop must run in between.
        let isWhole = await eventually {
            if let part = try? client.receive(before: BootClock.now() + 1_000_000) { received += part }
            return received.count >= answer.count || log.ends > 0
        }
        #expect(isWhole)
        #expect(received == answer)
        socket.end()
    }

    @Test("a connection reports that queued data was sent, and only then")
    func sent() async throws {
        let socket = try serve()
        let client = BlockingStream(try connect())
        #expect(await eventually { !log.connections.isEmpty })
        let connection = log.connections[0]
        var times = 0
        connection.onSent = { times += 1 }
        #expect(connection.isSent)
        connection.send([1, 2, 3])
        #expect(connection.isSent && times == 0, "it did not have to wait")
        connection.send([UInt8](repeating: 7, count: StreamConnection.mostUnsent * 2))
        #expect(!connection.isSent)
        let isTaken = await eventually {
            _ = try? client.receive(before: BootClock.now() + 1_000_000)
            return times > 0
        }
        #expect(isTaken && connection.isSent && times == 1)
        socket.end()
    }

    @Test("a client that leaves too much unread is disconnected, without blocking the server")
    func unread() async throws {
        let socket = try serve()
        let client = try connect()
        #expect(await eventually { !log.connections.isEmpty })
        let event = [UInt8](repeating: 7, count: 1 << 10)
        for _ in 0..<1024 where log.ends == 0 { log.connections[0].send(event) }
        #expect(log.ends == 1)
        close(client)
        socket.end()
    }
}
