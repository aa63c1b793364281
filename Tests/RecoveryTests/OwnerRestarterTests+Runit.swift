import Foundation
import Glibc
import Platform
import TestSupport
import Testing

@testable import Recovery

/// With the real runit.
extension OwnerRestarterTests {
    /// A service of the real runit that ignores SIGTERM, under a runsv(8) of its own.
    private func startService() throws -> ChildProcess {
        let directory = "\(programs.path)/wpa_supplicant"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        try programs.write("wpa_supplicant/run", "trap '' TERM; while :; do /bin/sleep 0.1; done")
        try programs.write("sv", #"SVDIR=${0%/*} exec /usr/bin/sv "$@""#)
        return try ChildProcess.start("/usr/bin/runsv", arguments: [directory], timeout: .seconds(60)) {
            _, _ in
        }
    }

    private var servicesProcess: String? { supervised("pid") }

    /// A file of runsv(8) about the service; nil: there is none yet.
    private func supervised(_ file: String) -> String? {
        try? String(contentsOfFile: "\(programs.path)/wpa_supplicant/supervise/\(file)", encoding: .utf8)
    }

    @Test(
        "with a real runit a hung owner is killed and runs again, unless a user has taken it down",
        .enabled(if: access("/usr/bin/runsv", X_OK) == 0, "needs runit"), arguments: [false, true])
    func runit(isDown: Bool) async throws {
        let supervisor = try startService()
        defer { supervisor.cancel() }
        try await restartRunit(isDown: isDown)
        supervisor.cancel()
        // Wait until runsv has ended: it writes into its directory, which then could not be removed.
        #expect(await eventually { !isSupervised })
    }

    /// Whether runsv(8) runs: it then has the reading end of the pipe `supervise/ok` open.
    private var isSupervised: Bool {
        let pipe = open("\(programs.path)/wpa_supplicant/supervise/ok", O_WRONLY | O_NONBLOCK)
        defer { close(pipe) }
        return pipe >= 0
    }

    private func restartRunit(isDown: Bool) async throws {
        #expect(await eventually { servicesProcess.map { $0.hasSuffix("\n") } ?? false })
        let before = servicesProcess
        if isDown {
            let command = try ChildProcess.start(
                "\(programs.path)/sv", arguments: ["down", "wpa_supplicant"], timeout: .seconds(9)
            ) { _, _ in }
            defer { command.cancel() }
            // Until runsv has received the order, it would start a killed process again. A process that does not
            // ignore SIGTERM yet ends by the order itself.
            #expect(await eventually { supervised("stat")?.contains("down") ?? false })
            let process = try #require(before.flatMap { pid_t($0.dropLast()) })
            kill(process, SIGKILL)
            #expect(await eventually { servicesProcess?.isEmpty ?? true })
        }
        let result = await restart(Self.supplicant, by: .runit)
        #expect(failure(result)?.kind == (isDown ? .unavailable : nil) && result != nil)
        let orders = programs.calls.filter { $0.hasPrefix("sv ") && !$0.hasPrefix("sv status") }
        if isDown {
            #expect(orders == ["sv down wpa_supplicant"])
            #expect(servicesProcess?.isEmpty ?? true)
        } else {
            #expect(orders == ["sv kill wpa_supplicant", "sv -w 25 start wpa_supplicant"])
            #expect(await eventually { (servicesProcess.map { !$0.isEmpty && $0 != before }) ?? false })
        }
    }
}
