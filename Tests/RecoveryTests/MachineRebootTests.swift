import Foundation
import Glibc
import Model
import Platform
import Synchronization
import TestSupport
import Testing

@testable import Recovery

/// The test's own scripts stand in for `busctl` and for the forced reboot, so that no request reaches a bus,
/// and the machine stays up.
@MainActor
@Suite(
    "Rebooting the machine", .timeLimit(.minutes(10)), .enabled(if: geteuid() == 0, "programs must be root's")
)
struct MachineRebootTests {
    private let programs: OwnerPrograms
    init() throws { programs = try OwnerPrograms() }

    private static let refused = Failure(kind: .other, description: "not permitted")

    /// - Parameters:
    ///   - inhibited: the inhibitors that logind reports; nil: logind does not answer.
    ///   - order: a shell command that runs in place of the order to reboot.
    private func playLogind(_ inhibited: String?, order: String = "exit 0") throws {
        try programs.write(
            "busctl",
            """
            case "$*" in
            *BlockInhibited) \(inhibited.map { "echo 's \"\($0)\"'" } ?? "exec sleep 60") ;;
            *" Reboot b false") \(order) ;;
            esac
            """)
    }

    private func reboot(timeout: Duration = .seconds(1), isRoot: Bool = true) async -> (
        failure: Failure?, forced: Int
    ) {
        var failures: [Failure] = []
        var forced = 0
        let force: @MainActor () -> Failure = {
            forced += 1
            return Self.refused
        }
        let reboot = MachineReboot(
            directories: [programs.path], timeout: timeout, sync: {}, force: isRoot ? force : nil)
        reboot.begin { failures.append($0) }
        #expect(await eventually { !failures.isEmpty })
        return (failures.count == 1 ? failures[0] : nil, forced)
    }

    private var orders: Int { programs.calls.count { $0.hasSuffix(" Reboot b false") } }

    @Test("logind is told to reboot, and if the machine is still up later, the reboot is forced")
    func accepted() async throws {
        try playLogind("idle:sleep")
        let (failure, forced) = await reboot()
        #expect(failure?.description == Self.refused.description && forced == 1 && orders == 1)
        #expect(failure?.kind == .timedOut, "it may still go down")
        #expect(
            programs.calls.last
                == "busctl --system --timeout=61 call org.freedesktop.login1 /org/freedesktop/login1"
                + " org.freedesktop.login1.Manager Reboot b false")
    }

    @Test("a process that may not force a reboot reports that the machine is still up")
    func unforced() async throws {
        try playLogind("")
        let (failure, forced) = await reboot(isRoot: false)
        #expect(failure?.kind == .timedOut && forced == 0 && orders == 1)
    }

    @Test("an inhibitor of shutdowns is respected, also if root reboots")
    func inhibited() async throws {
        try playLogind("sleep:shutdown")
        let (failure, forced) = await reboot()
        #expect(failure?.kind == .busy && forced == 0 && orders == 0)
    }

    @Test("a refusal by logind is final, also for root")
    func refused() async throws {
        try playLogind("idle", order: "echo 'Call failed: Interactive authentication required.'; exit 1")
        let (failure, forced) = await reboot()
        #expect(failure?.kind == .other && forced == 0 && orders == 1)
        #expect(failure?.description.contains("Interactive authentication required.") == true)
    }

    @Test("if logind hangs or is missing, the reboot is forced", arguments: [0, 1, 2, 3])
    func hung(how: Int) async throws {
        switch how {
        case 0: try playLogind(nil)
        case 1: try programs.write("busctl", "echo 'The name is not activatable'; exit 1")
        case 2: try playLogind("", order: "exec sleep 60")
        default: break  // no busctl at all
        }
        let (failure, forced) = await reboot()
        #expect(failure?.description == Self.refused.description && forced == 1)
        #expect((failure?.kind == .timedOut) == (how == 2), "only what was ordered may still go down")
        let (other, unforced) = await reboot(isRoot: false)
        #expect(other != nil && other?.description != Self.refused.description && unforced == 0)
        #expect((other?.kind == .timedOut) == (how == 2))
    }

    @Test("a cancelled reboot is not forced, and reports nothing")
    func stopped() async throws {
        try playLogind("")
        // On a busy machine the time limit may end before logind has its order: try again with a longer
        // limit.
        for (limit, order) in zip([2, 8, 32], 1...) {
            var answers = 0
            let force: @MainActor () -> Failure = {
                answers += 1
                return Self.refused
            }
            let reboot = MachineReboot(
                directories: [programs.path], timeout: .seconds(limit), sync: {}, force: force)
            reboot.begin { _ in answers += 1 }
            #expect(await eventually { orders == order })
            if answers > 0 { continue }
            reboot.stop()
            try await Task.sleep(for: .milliseconds(limit * 1000 + 500))
            #expect(answers == 0)
            return
        }
        Issue.record("the time limit was always over before the order")
    }

    @Test("a forced reboot waits for the disks, but not for ever", arguments: [false, true])
    func disks(hangs: Bool) async throws {
        let release = DispatchSemaphore(value: 0)
        let isWritten = Mutex(false)
        let sync: @Sendable () -> Void = {
            if hangs { release.wait() } else { usleep(100_000) }
            isWritten.withLock { $0 = true }
        }
        var wasWritten: [Bool] = []
        var failures: [Failure] = []
        // There is no logind.
        let reboot = MachineReboot(
            directories: [programs.path], syncTimeout: hangs ? .milliseconds(50) : .seconds(60), sync: sync
        ) {
            wasWritten.append(isWritten.withLock { $0 })
            return Self.refused
        }
        reboot.begin { failures.append($0) }
        #expect(await eventually { !failures.isEmpty })
        #expect(wasWritten == [!hangs] && failures == [Self.refused])
        release.signal()
        #expect(await eventually { !BlockingWork.isUnderWay })
    }

    @Test("a reboot that is cancelled while the disks are written is not forced")
    func stoppedAtDisks() async throws {
        let release = DispatchSemaphore(value: 0)
        let isBegun = Mutex(false)
        let sync: @Sendable () -> Void = {
            isBegun.withLock { $0 = true }
            release.wait()
        }
        var answers = 0
        let reboot = MachineReboot(directories: [programs.path], sync: sync) {
            answers += 1
            return Self.refused
        }
        reboot.begin { _ in answers += 1 }
        #expect(await eventually { isBegun.withLock { $0 } })
        reboot.stop()
        release.signal()
        #expect(await eventually { !BlockingWork.isUnderWay })
        #expect(answers == 0 && !reboot.isOrdered)
    }

    @Test("a reboot is ordered only after the query for inhibitors")
    func ordered() async throws {
        try programs.write(
            "busctl",
            """
            case "$*" in
            *BlockInhibited) while [ ! -e "\(programs.path)/go" ]; do sleep 0.05; done; echo 's "idle"' ;;
            *" Reboot b false") exec sleep 60 ;;
            esac
            """)
        let reboot = MachineReboot(directories: [programs.path], timeout: .seconds(60), sync: {}, force: nil)
        var answers = 0
        reboot.begin { _ in answers += 1 }
        #expect(await eventually { programs.calls.contains { $0.hasSuffix("BlockInhibited") } })
        #expect(!reboot.isOrdered && orders == 0)
        try "".write(toFile: programs.path + "/go", atomically: false, encoding: .utf8)
        #expect(await eventually { orders == 1 })
        #expect(reboot.isOrdered)
        reboot.stop()
        #expect(reboot.isOrdered && answers == 0)
    }

    @Test(
        "an inhibitor is recognised only as a whole word",
        arguments: [
            ("s \"shutdown\"\n", true), ("s \"handle-power-key:shutdown:idle\"\n", true), ("s \"\"\n", false),
            ("s \"shutdowns\"\n", false), ("", false), ("s \"sleep\"\n", false),
        ])
    func words(answer: String, isInhibited: Bool) {
        #expect(MachineReboot.inhibits(Array(answer.utf8)) == isInhibited)
    }
}
