import CLinux
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Platform

struct ServiceNotifierTests {
    /// A datagram socket in the role of the service manager.
    private func manager(_ address: UnixAddress) -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        address.withSocketAddress { pointer, length in #expect(bind(descriptor, pointer, length) == 0) }
        return descriptor
    }

    private func received(_ descriptor: Int32) -> String? {
        var bytes = [UInt8](repeating: 0, count: 1000)
        let count = read(descriptor, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }

    @Test("messages reach a socket with a path, and one in the abstract namespace", arguments: [false, true])
    func sent(isAbstract: Bool) throws {
        let scratch = try Scratch()
        let name = (isAbstract ? "@" : "") + scratch.path + "/notify"
        let descriptor = manager(try #require(UnixAddress(notifySocket: name)))
        defer { close(descriptor) }
        let notifier = ServiceNotifier(environment: ["NOTIFY_SOCKET": name])
        notifier.ready(status: "wlan0 is healthy")
        #expect(received(descriptor) == "READY=1\nSTATUS=wlan0 is healthy")
        notifier.ready()
        #expect(received(descriptor) == "READY=1")
        notifier.status("a\nREADY=0")
        #expect(received(descriptor) == "STATUS=a\\u{a}READY=0")
        notifier.watchdog()
        #expect(received(descriptor) == "WATCHDOG=1")
        notifier.stopping()
        #expect(received(descriptor) == "STOPPING=1")
        let before = BootClock.monotonic() / 1000
        notifier.reloading()
        let words = try #require(received(descriptor)).split(separator: "\n")
        #expect(words[0] == "RELOADING=1")
        let time = try #require(Int64(words[1].dropFirst("MONOTONIC_USEC=".count)))
        #expect((before...before + 5_000_000).contains(time))
    }

    @Test(
        "a missing or invalid socket does no harm",
        arguments: [
            nil, "", "@", "relative", "vsock:2:1", "/nonexistent/notify",
            "/" + String(repeating: "x", count: 200),
        ])
    func missing(name: String?) {
        ServiceNotifier(environment: name.map { ["NOTIFY_SOCKET": $0] } ?? [:]).ready(status: "x")
    }

    @Test("a service manager that does not read delays the service only for a moment")
    func full() throws {
        let scratch = try Scratch()
        let descriptor = manager(try #require(UnixAddress(notifySocket: scratch.path + "/notify")))
        defer { close(descriptor) }
        let backlog = Int(SmallFile.line("/proc/sys/net/unix/max_dgram_qlen") ?? "") ?? 10
        let notifier = ServiceNotifier(environment: ["NOTIFY_SOCKET": scratch.path + "/notify"])
        let start = ContinuousClock.now
        for _ in 0..<min(backlog, 1000) + 3 { notifier.watchdog() }
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test(
        "the watchdog interval applies only to the process in WATCHDOG_PID",
        arguments: [
            (["WATCHDOG_USEC": "30000000"], Duration.seconds(30)),
            (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "77"], .seconds(30)),
            (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "78"], nil),
            (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "x"], nil),
            (["WATCHDOG_USEC": "0"], nil), (["WATCHDOG_USEC": "-5"], nil), (["WATCHDOG_USEC": ""], nil),
            ([:], nil),
        ] as [([String: String], Duration?)])
    func watchdog(environment: [String: String], expected: Duration?) {
        #expect(ServiceNotifier.watchdogInterval(environment: environment, process: 77) == expected)
    }
}
