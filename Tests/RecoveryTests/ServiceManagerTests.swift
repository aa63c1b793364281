import Foundation
import TestSupport
import Testing

@testable import Recovery

@Suite("The init system of the machine")
struct ServiceManagerTests {
    @Test(
        "the init system is recognised by its directory in /run, or by the name of process 1",
        arguments: [
            (["/run/systemd/system/x"], "systemd", ServiceManager.systemd),
            (["/run/systemd/system/x", "/run/runit/x"], "systemd", .systemd),
            (["/run/openrc/softlevel"], "init", .openRC), ([], "procd", .procd),
            (["/run/runit/x"], "init", .runit), ([], "runit", .runit), ([], "runsvdir", .runit),
            ([], "init", .systemd),
        ])
    func managers(files: [String], first: String, manager: ServiceManager) throws {
        let scratch = try Scratch()
        for (path, text) in files.map({ ($0, "") }) + [("/proc/1/comm", "\(first)\n")] {
            let url = URL(fileURLWithPath: scratch.path + path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try text.write(to: url, atomically: false, encoding: .utf8)
        }
        #expect(ServiceManager.running(root: scratch.path) == manager)
    }

    @Test(
        "the output of runit's sv is parsed",
        arguments: [
            ("run: wpa_supplicant: (pid 7) 5s\n", ServiceUnits.State.active),
            ("run: wpa_supplicant: (pid 7) 5s, want down, got TERM\n", .active),
            ("down: wpa_supplicant: 1s, normally up, want up\n", .failed),
            ("down: wpa_supplicant: 1s, normally up\n", nil), ("down: wpa_supplicant: 1s\n", nil),
            ("run: wpa_supplicant: (pid 7) 5s; down: log: 1s, normally up, want up\n", .active),
            ("down: iwd: 1s, normally up, want up; run: log: (pid 8) 90s\n", .failed),
            ("down: iwd: 1s, normally up, want up; down: log: 1s, normally up\n", .failed),
            ("down: iwd: 90s, normally up; down: log: 1s, normally up, want up\n", nil),
            ("down: iwd: 90s, normally up; run: log: (pid 8) 90s\n", nil),
            ("down:\u{11} wpa_supplicant: 1s, normally up, want up\n", nil),
            ("fail: wpa_supplicant: runsv not running\n", nil), ("", nil), ("run:", nil),
        ] as [(String, ServiceUnits.State?)])
    func states(line: String, state: ServiceUnits.State?) {
        let seen = ServiceManager.runit.states(of: ["wpad"], from: Array(line.utf8), status: 0)
        #expect(seen["wpad"] == state)
    }
}
