import Foundation
import TestSupport
import Testing

@testable import Platform

struct InterfaceLockTests {
    let scratch: Scratch
    init() throws { scratch = try Scratch() }

    private func acquire(
        _ interface: String = "wlan0", in directory: String? = nil, label: String = "run",
        wait: Duration = .zero
    ) throws -> InterfaceLock {
        try InterfaceLock.acquire(
            interface: interface, directory: TrustedDirectory(directory ?? scratch.path), label: label,
            wait: wait)
    }

    @Test("a second run is told who has the lock, and gets the lock once the first run has ended")
    func held() throws {
        var first: InterfaceLock? = try acquire(label: "run")
        #expect(throws: InterfaceLock.LockError.held(by: "run \(getpid())")) { try acquire(label: "toggle") }
        _ = try acquire("wlan1")
        withExtendedLifetime(first) {}
        first = nil
        _ = try acquire(label: "toggle")
    }

    @Test("a run waits for the lock as long as requested")
    func waited() throws {
        let lock = try acquire()
        let start = ContinuousClock.now
        #expect(throws: InterfaceLock.LockError.self) { try acquire(wait: .milliseconds(150)) }
        #expect(ContinuousClock.now - start >= .milliseconds(150))
        withExtendedLifetime(lock) {}
    }

    @Test("a lock that is released during the wait is taken")
    func freed() async throws {
        let lock = try acquire()
        let other = Task.detached { [scratch] in
            try InterfaceLock.acquire(
                interface: "wlan0", directory: TrustedDirectory(scratch.path), label: "cron",
                wait: .seconds(20))
        }
        try await Task.sleep(for: .milliseconds(50))
        withExtendedLifetime(lock) {}
        _ = consume lock
        _ = try await other.value
    }

    @Test("a run that was killed leaves no stale lock")
    func killed() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/flock")
        process.arguments = ["--no-fork", scratch.path + "/wlan0.lock", "sleep", "60"]
        try process.run()
        var isHeld = false
        for _ in 0..<2000 where !isHeld {
            isHeld = (try? acquire()) == nil
            usleep(10_000)
        }
        #expect(isHeld, "flock(1) did not take the lock within 20 s")
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        _ = try acquire(wait: .seconds(20))
    }

    @Test("a missing directory is created, and the lock file is closed to others")
    func made() throws {
        let directory = scratch.path + "/run"
        let lock = try acquire(in: directory)
        let mode = { (path: String) in
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(directory)! & 0o022 == 0)
        #expect(try mode(directory + "/wlan0.lock") == 0o600)
        withExtendedLifetime(lock) {}
    }

    @Test(
        "a lock file that is a link, pipe or directory, or whose directory is a link or file, is refused",
        arguments: [
            ("ln -s real D", "D", ELOOP),
            ("mkdir D; ln -s /etc/hostname D/wlan0.lock", "D/wlan0.lock", ELOOP),
            ("mkdir D; mkfifo D/wlan0.lock", "D/wlan0.lock", EINVAL), ("touch D", "D", ENOTDIR),
            ("mkdir D; mkdir D/wlan0.lock", "D/wlan0.lock", EISDIR),
        ])
    func refused(script: String, culprit: String, code: Int32) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-ec", "cd \(scratch.path); mkdir real; " + script]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        do {
            _ = try acquire(in: scratch.path + "/D")
            Issue.record("\(culprit) was used")
        } catch InterfaceLock.LockError.cannotWrite(let error, let path) {
            // For a symbolic link, open(2) with O_NOFOLLOW and O_DIRECTORY may fail with ENOTDIR.
            let codes = culprit == "D" ? [code, ENOTDIR] : [code]
            #expect(codes.contains(error.code), "\(error.description)")
            #expect(path == scratch.path + "/" + culprit)
        }
    }

    @Test("a directory that cannot be created is reported with its path")
    func missing() {
        let path = scratch.path + "/a/b"
        #expect(
            throws: InterfaceLock.LockError.cannotWrite(SystemError(call: "mkdir", code: ENOENT), path: path)
        ) { try acquire(in: path) }
    }

    @Test(
        "an interface name that leads out of the directory is refused",
        arguments: ["../x", "a/b", "", "a\0b"])
    func names(interface: String) {
        #expect(throws: InterfaceLock.LockError.self) { try acquire(interface) }
    }

    @Test("a directory is trusted if it is this user's, or root's and closed to others")
    func trust() {
        #expect(OpenDirectory.isTrusted(owner: geteuid(), mode: 0o777))
        #expect(!OpenDirectory.isTrusted(owner: geteuid() + 1, mode: 0o755))
        if geteuid() != 0 {
            #expect(OpenDirectory.isTrusted(owner: 0, mode: 0o755))
            #expect(!OpenDirectory.isTrusted(owner: 0, mode: 0o1777))
        }
    }
}
