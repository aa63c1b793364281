import Foundation
import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import Recovery

@MainActor
@Suite(
    "Restarting a DHCP client that is dead or hung", .timeLimit(.minutes(10)),
    .enabled(if: geteuid() == 0, "programs must be root's"))
struct DHCPClientTests {
    private let programs: OwnerPrograms
    private let scratch: Scratch

    init() throws {
        programs = try OwnerPrograms()
        scratch = try Scratch()
        // This systemctl knows the units in the file `units`, each with its state.
        try programs.write(
            "systemctl",
            """
            [ "$1" = show ] || exit 0
            while read unit state; do echo "Id=$unit"; echo "ActiveState=$state"; echo; done < ${0%/*}/units
            """)
        try units([:])
    }

    /// Greater than any process ID (proc_sys_kernel(5), pid_max).
    private nonisolated static let process: Int32 = 1 << 23
    private nonisolated static let pause: Duration = .milliseconds(300)

    private func units(_ states: [String: String]) throws {
        let lines = states.map { "\($0) \($1)\n" }.joined()
        try Data(lines.utf8).write(to: URL(filePath: "\(programs.path)/units"))
    }

    private func process(_ state: String, switches: Int = 1, in unit: String? = nil) throws {
        let counts = "voluntary_ctxt_switches:\t\(switches)\nnonvoluntary_ctxt_switches:\t1\n"
        try scratch.write("State:\t\(state)\n\(counts)", to: "proc/\(Self.process)/status")
        if let unit { try scratch.write("0::/system.slice/\(unit)\n", to: "proc/\(Self.process)/cgroup") }
    }

    /// The ownership of an interface with a DHCP client that runs.
    private func ownership(of client: Owner, isIfupdown: Bool = false, isNeeded: Bool = true) -> Ownership {
        let claims = [Ownership.Claim(client, "seen", process: Self.process)]
        return Ownership(
            station: Ownership.Part(isNeeded: false),
            network: Ownership.Part(
                (isIfupdown ? [Ownership.Claim(.ifupdown, "seen")] : []) + claims, isNeeded: isNeeded))
    }

    /// The ownership of an interface of ifupdown whose DHCP client has died and left its pid file.
    private func loss(of client: Owner, isIfupdown: Bool = true, isNeeded: Bool = true) -> Ownership {
        Ownership(
            station: Ownership.Part(isNeeded: false),
            network: Ownership.Part(
                isIfupdown ? [Ownership.Claim(.ifupdown, "seen")] : [], isNeeded: isNeeded),
            absent: [client])
    }

    private func condition(
        of ownership: Ownership, looksAhead: Bool = false, meanwhile: @escaping () throws -> Void = {}
    ) async throws -> OwnerCondition? {
        var answers: [OwnerCondition?] = []
        OwnerConditionQuery(
            .systemd, directories: [programs.path], root: scratch.path, pause: Self.pause,
            timeout: testTimeout
        )
        .ask("wlan0", ownership, looksAhead: looksAhead) { answers.append($0) }
        try meanwhile()
        #expect(await eventually { !answers.isEmpty })
        return answers.count == 1 ? answers[0] : nil
    }

    /// - Returns: the failure, and the commands to systemctl that change something.
    private func restart(_ ownership: Ownership) async -> (failure: Failure?, orders: [String]) {
        var outcomes: [Result<Void, Failure>] = []
        OwnerRestarter(.systemd, root: scratch.path, directories: [programs.path], pause: Self.pause)
            .restart("wlan0", ownership, evenIfAtWork: false, serving: []) { outcomes.append($0) }
        #expect(await eventually { !outcomes.isEmpty })
        let failure: Failure? = if case .failure(let failure)? = outcomes.first { failure } else { nil }
        return (failure, programs.calls.filter { !$0.contains(" show ") })
    }

    private func orders(_ unit: String, kills: Bool) -> [String] {
        (kills ? ["kill --signal=SIGKILL", "restart"] : ["restart"])
            .map { "systemctl --no-ask-password \($0) -- \(unit)" }
    }

    // MARK: Hung

    @Test(
        "a client counts as hung if two checks find it stopped or stuck; in any other state it does not",
        arguments: ["T (stopped)", "D (disk sleep)", "S (sleeping)", "t (tracing stop)", "Z (zombie)"],
        [Owner.dhcpcd, .dhclient, .udhcpc])
    func state(state: String, client: Owner) async throws {
        try process(state)
        let hangs = state.hasPrefix("T") || state.hasPrefix("D")
        #expect(
            try await condition(of: ownership(of: client)) == (hangs ? OwnerCondition(client, .hung) : nil))
    }

    @Test("a client that has run between the two checks, or has ended, does not count as hung")
    func runsOn() async throws {
        for (state, switches) in [("S (sleeping)", 1), ("D (disk sleep)", 2), ("T (stopped)", 1)] {
            try process("D (disk sleep)")
            let found = try await condition(of: ownership(of: .dhcpcd)) {
                try process(state, switches: switches)
            }
            #expect(found == nil, "\(state) \(switches)")
        }
        try process("T (stopped)")
        let found = try await condition(of: ownership(of: .dhcpcd)) {
            try FileManager.default.removeItem(atPath: "\(scratch.path)/proc/\(Self.process)")
        }
        #expect(found == nil)
    }

    @Test("the second check comes after the pause, which is four seconds by default")
    func spacing() async throws {
        try process("D (disk sleep)")
        var answers: [OwnerCondition?] = []
        OwnerConditionQuery(
            .systemd, directories: [programs.path], root: scratch.path, pause: .seconds(3600)
        )
        .ask("wlan0", ownership(of: .dhcpcd)) { answers.append($0) }
        await runLoop(for: .milliseconds(100))
        #expect(answers.isEmpty)
        #expect(OwnerConditionQuery.lookSpacing == .seconds(4))
    }

    @Test("a client that runs again is not dead, although its old pid file is left")
    func runsAgain() async throws {
        let running = Ownership(
            station: Ownership.Part(isNeeded: false),
            network: Ownership.Part([
                Ownership.Claim(.ifupdown, "seen"),
                Ownership.Claim(.dhclient, "seen", process: Self.process),
            ]), absent: [.dhclient])
        try process("S (sleeping)")
        #expect(try await condition(of: running) == nil)
    }

    @Test("a client is examined only if the interface lacks its address, or if doctor looks ahead")
    func needed() async throws {
        try process("T (stopped)")
        let configured = ownership(of: .dhcpcd, isNeeded: false)
        #expect(try await condition(of: configured) == nil)
        #expect(try await condition(of: configured, looksAhead: true) == OwnerCondition(.dhcpcd, .hung))
        let lost = loss(of: .dhclient, isNeeded: false)
        #expect(try await condition(of: lost) == nil)
        #expect(try await condition(of: lost, looksAhead: true) == OwnerCondition(.dhclient, .dead))
    }

    @Test(
        "a hung client is killed, and the unit in which it runs is restarted",
        arguments: [
            (Owner.dhcpcd, "dhcpcd.service"), (.dhcpcd, "system-dhcpcd.slice/dhcpcd@wlan0.service"),
            (.dhcpcd, "ifup@wlan0.service"), (.dhclient, "ifup@wlan0.service"),
            (.udhcpc, "system-ifup.slice/ifup@wlan0.service"),
        ])
    func hung(client: Owner, path: String) async throws {
        let unit = path.split(separator: "/").last.map(String.init) ?? ""
        try process("T (stopped)", in: path)
        try units([unit: "active", "wpa_supplicant.service": "active"])
        let (failure, orders) = await restart(ownership(of: client, isIfupdown: unit.hasPrefix("ifup@")))
        #expect(failure == nil && orders == self.orders(unit, kills: true))
    }

    @Test(
        "a client that runs in a unit of other interfaces, or in an administrator's own unit, is left alone",
        arguments: [
            ("networking.service", "; sudo ifdown wlan0 && sudo ifup wlan0'"),
            ("ifup@wlan1.service", "; sudo ifdown wlan0 && sudo ifup wlan0'"),
            ("lease.service", nil),
        ])
    func elsewhere(unit: String, remedy: String?) async throws {
        try process("T (stopped)", in: unit)
        try units([unit: "active", "ifup@wlan0.service": "active"])
        let (failure, orders) = await restart(ownership(of: .dhclient, isIfupdown: true))
        let command =
            remedy.map { "sudo kill -KILL \(Self.process)\($0)" } ?? "sudo systemctl restart \(unit)'"
        #expect(
            failure?.description
                == "dhclient runs in \(unit), which this program does not restart (run '\(command))")
        #expect(orders.isEmpty)
    }

    // MARK: Dead

    @Test(
        "a client of ifupdown that has died is started again by the unit of this interface",
        arguments: [Owner.dhclient, .udhcpc, .dhcpcd], ["active", "failed"])
    func lost(client: Owner, state: String) async throws {
        try units(["ifup@wlan0.service": state, "networking.service": "active"])
        let (failure, orders) = await restart(loss(of: client))
        #expect(failure == nil && orders == self.orders("ifup@wlan0.service", kills: false))
    }

    @Test("a dead client that networking.service started is left alone, and the message has the commands")
    func lostByAll() async throws {
        try units(["ifup@wlan0.service": "inactive", "networking.service": "active"])
        let (failure, orders) = await restart(loss(of: .dhclient))
        #expect(
            failure?.description == "dhclient was started by ifupdown, in no unit of its own"
                + " (run 'sudo ifdown wlan0 && sudo ifup wlan0')")
        #expect(orders.isEmpty)
    }

    @Test("if dhcpcd that ifupdown started is dead, a dhcpcd.service that is active for others is left alone")
    func lostBesideOthers() async throws {
        try units(["dhcpcd.service": "active", "ifup@wlan0.service": "inactive"])
        let (failure, orders) = await restart(loss(of: .dhcpcd))
        #expect(failure?.kind == .unavailable)
        #expect(orders.isEmpty)
    }

    @Test(
        "dhcpcd whose unit has failed is restarted, also if ifupdown is an owner of the interface too",
        arguments: [true, false])
    func failed(isIfupdown: Bool) async throws {
        try units(["dhcpcd.service": "failed", "ifup@wlan0.service": "active"])
        let (failure, orders) = await restart(loss(of: .dhcpcd, isIfupdown: isIfupdown))
        #expect(failure == nil && orders == self.orders("dhcpcd.service", kills: false))
    }

    @Test(
        "a client that has only left its pid file is not dead: nothing shows that it should run",
        arguments: [Owner.dhclient, .udhcpc, .dhcpcd])
    func stopped(client: Owner) async throws {
        try units(["dhcpcd.service": "inactive", "ifup@wlan0.service": "active"])
        #expect(try await condition(of: loss(of: client, isIfupdown: false)) == nil)
    }

    @Test(
        "the unit of ifupdown for this interface is restarted only if it has failed",
        arguments: ["failed", "active", "inactive"])
    func ifupdown(state: String) async throws {
        try units(["ifup@wlan0.service": state])
        let none = Ownership(station: Ownership.Part(isNeeded: false), network: Ownership.Part())
        let (failure, orders) = await restart(none)
        #expect((failure == nil) == (state == "failed"))
        #expect(orders == (state == "failed" ? self.orders("ifup@wlan0.service", kills: false) : []))
    }
}
