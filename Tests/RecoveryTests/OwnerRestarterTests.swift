import Foundation
import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import Recovery

@MainActor
@Suite(
    "Restarting an owner", .timeLimit(.minutes(10)), .enabled(if: geteuid() == 0, "programs must be root's"))
struct OwnerRestarterTests {
    let programs: OwnerPrograms
    private let peer: SupplicantPeer
    init() throws {
        programs = try OwnerPrograms()
        peer = try SupplicantPeer()
    }

    private nonisolated static let unit = "wpa_supplicant-nl80211@wlan0.service"
    static let supplicant = Ownership(
        station: Ownership.Part([Ownership.Claim(.supplicant, "seen")]),
        network: Ownership.Part([Ownership.Claim(.networkd, "seen")]))

    /// Writes a systemctl that knows this unit, and a failed one that was not asked for.
    private func playSystemd(_ unit: String, _ state: String, restart: String = "exit 0") throws {
        try programs.write(
            "systemctl",
            """
            case "$1 $2" in
            show*) echo "Id=other.service"; echo ActiveState=failed; echo; echo "Id=\(unit)"; echo "ActiveState=\(state)" ;;
            "--no-ask-password restart") \(restart) ;;
            esac
            """)
    }

    func restart(
        _ ownership: Ownership, by manager: ServiceManager = .systemd, evenIfAtWork: Bool = false,
        answers: Bool = false, serving: [OwnerRestarter.ServingInterface] = []
    ) async -> Result<Void, Failure>? {
        var outcomes: [Result<Void, Failure>] = []
        OwnerRestarter(
            manager, directories: [programs.path], scripts: programs.path, supplicantDirectory: peer.directory
        )
        .restart("wlan0", ownership, evenIfAtWork: evenIfAtWork, serving: serving) { outcomes.append($0) }
        #expect(
            await eventually {
                if answers { _ = peer.serve { _ in [Array("PONG\n".utf8)] } }
                return !outcomes.isEmpty
            })
        return outcomes.count == 1 ? outcomes[0] : nil
    }

    func failure(_ result: Result<Void, Failure>?) -> Failure? {
        if case .failure(let failure)? = result { failure } else { nil }
    }

    private var orders: [String] { programs.calls.filter { !$0.contains(" show ") } }

    @Test(
        "systemd-resolved is restarted only if the state of its unit still fits the condition found",
        arguments: [
            (OwnerCondition.Kind.hung, "active", ["kill --signal=SIGKILL", "restart"]),
            (.dead, "failed", ["restart"]),
            (.hung, "failed", []), (.hung, "inactive", []), (.dead, "active", []), (.dead, "inactive", []),
        ])
    func resolver(kind: OwnerCondition.Kind, state: String, verbs: [String]) async throws {
        try playSystemd("systemd-resolved.service", state)
        var outcomes: [Result<Void, Failure>] = []
        OwnerRestarter(.systemd, directories: [programs.path], scripts: programs.path)
            .restart(OwnerCondition(.resolved, kind)) { outcomes.append($0) }
        #expect(await eventually { !outcomes.isEmpty })
        #expect(orders == verbs.map { "systemctl --no-ask-password \($0) -- systemd-resolved.service" })
        let result = outcomes.count == 1 ? outcomes[0] : nil
        #expect(failure(result)?.kind == (verbs.isEmpty ? .unavailable : nil) && result != nil)
    }

    @Test(
        "if systemd-resolved is silent, the state of its unit shows whether it is dead, hung or neither",
        arguments: [
            ("active", OwnerCondition.Kind.hung), ("failed", .dead), ("inactive", nil), ("activating", nil),
        ] as [(String, OwnerCondition.Kind?)])
    func silentResolver(state: String, kind: OwnerCondition.Kind?) async throws {
        try playSystemd("systemd-resolved.service", state)
        for manager in [ServiceManager.systemd, .openRC] {
            var answers: [OwnerCondition?] = []
            OwnerConditionQuery(
                manager, directories: [programs.path], scripts: programs.path, timeout: testTimeout
            )
            .askAboutResolver { answers.append($0) }
            #expect(await eventually { !answers.isEmpty })
            let expected = manager == .systemd ? kind : nil
            #expect(answers == [expected.map { OwnerCondition(.resolved, $0) }])
        }
        #expect(orders.isEmpty)
    }

    @Test("a hung owner is killed, and its active unit is restarted")
    func hung() async throws {
        try playSystemd(Self.unit, "active")
        let result = await restart(Self.supplicant)
        #expect(failure(result) == nil && result != nil)
        #expect(
            orders == [
                "systemctl --no-ask-password kill --signal=SIGKILL -- \(Self.unit)",
                "systemctl --no-ask-password restart -- \(Self.unit)",
            ])
        let others = "netplan-wpa-wlan0.service wpa_supplicant@wlan0.service wpa_supplicant.service"
        #expect(
            programs.calls.filter { $0.contains(" show ") }
                == ["systemctl show --property=Id,ActiveState -- \(Self.unit) \(others)"],
            "one run for all units")
    }

    @Test("an owner that answers is left alone, unless a user names the method")
    func atWork() async throws {
        try playSystemd(Self.unit, "active")
        #expect(failure(await restart(Self.supplicant, answers: true))?.kind == .unavailable)
        #expect(orders.isEmpty)
        let named = await restart(Self.supplicant, evenIfAtWork: true, answers: true)
        #expect(failure(named) == nil && named != nil)
        #expect(orders == ["systemctl --no-ask-password restart -- \(Self.unit)"])
    }

    @Test(
        "an owner is left alone if an access point needs it, unless its unit is for this interface alone",
        arguments: [Owner.networkManager, .supplicant, .iwd], ["wpa_supplicant.service", Self.unit])
    func serving(owner: Owner, unit: String) async throws {
        try playSystemd(unit, "active")
        let other = serving("ap0", owner, sharesRadio: false)
        let result = await restart(Self.supplicant, evenIfAtWork: true, answers: true, serving: [other])
        if unit == Self.unit || owner == .iwd {
            #expect(failure(result) == nil && result != nil && !orders.isEmpty)
        } else {
            #expect(failure(result)?.kind == .unavailable && orders.isEmpty)
            #expect(failure(result)?.description == "ap0 serves other machines and needs wpa_supplicant, too")
        }
    }

    private func serving(_ name: String, _ owner: Owner, sharesRadio: Bool) -> OwnerRestarter.ServingInterface
    {
        let station = Ownership.Part([Ownership.Claim(owner, "seen")])
        return OwnerRestarter.ServingInterface(
            name: name, ownership: Ownership(station: station), sharesRadio: sharesRadio)
    }

    @Test(
        "a unit for this interface only is not restarted if it runs a P2P group on the same radio",
        arguments: [(Owner.supplicant, false), (.iwd, true)])
    func group(owner: Owner, isRestarted: Bool) async throws {
        try playSystemd(Self.unit, "active")
        let other = serving("p2p-wlan0-0", owner, sharesRadio: true)
        let result = await restart(Self.supplicant, evenIfAtWork: true, answers: true, serving: [other])
        #expect((failure(result) == nil && result != nil) == isRestarted && orders.isEmpty != isRestarted)
    }

    @Test(
        "an owner is restarted if its service has failed, and not if its service was stopped",
        arguments: ["failed", "inactive"])
    func dead(state: String) async throws {
        let gone = Ownership(station: Ownership.Part(), network: Ownership.Part())
        try playSystemd("iwd.service", state)
        let result = await restart(gone)
        #expect((failure(result) == nil) == (state == "failed"))
        #expect(orders == (state == "failed" ? ["systemctl --no-ask-password restart -- iwd.service"] : []))
    }

    @Test("an owner that a user told to disconnect is left alone, even if a user names the method")
    func told() async throws {
        try playSystemd("NetworkManager.service", "active")
        try programs.write(
            "nmcli",
            """
            echo "GENERAL.STATE:30 (disconnected)"; echo "GENERAL.REASON:39 (user requested)"
            echo GENERAL.AUTOCONNECT:no; echo GENERAL.CON-UUID:
            """)
        let networkManager = Ownership(
            station: Ownership.Part([Ownership.Claim(.supplicant, "seen")]),
            network: Ownership.Part([Ownership.Claim(.networkManager, "seen")]))
        let told = failure(await restart(networkManager, evenIfAtWork: true, answers: true))
        #expect(told?.description == "NetworkManager was told to disconnect")
        #expect(orders.allSatisfy { !$0.hasPrefix("systemctl") })
    }

    private static let hangs = "while :; do /bin/sleep 0.1; done"

    @Test(
        "an owner that is silent on D-Bus counts as hung only if the bus itself answers",
        arguments: [true, false])
    func bus(isAtWork: Bool) async throws {
        try playSystemd("NetworkManager.service", "active")
        try programs.write("nmcli", Self.hangs)
        try programs.write("busctl", isAtWork ? #"[ "${6-}" = GetId ] || \#(Self.hangs)"# : Self.hangs)
        let networkManager = Ownership(
            station: Ownership.Part(), network: Ownership.Part([Ownership.Claim(.networkManager, "seen")]))
        let result = await restart(networkManager)
        #expect(failure(result)?.kind == (isAtWork ? nil : .unavailable) && result != nil)
        let unit = "NetworkManager.service"
        #expect(
            orders.filter { $0.hasPrefix("systemctl") }
                == (isAtWork
                    ? [
                        "systemctl --no-ask-password kill --signal=SIGKILL -- \(unit)",
                        "systemctl --no-ask-password restart -- \(unit)",
                    ] : []))
    }

    @Test(
        "after a cancellation nothing is killed, restarted or reported", arguments: [true, false])
    func stopped(isHung: Bool) async throws {
        try programs.write(
            "systemctl",
            """
            [ "$1" = show ] || exit 0
            until [ -e ${0%/*}/go ]; do /bin/sleep 0.05; done
            echo "Id=\(Self.unit)"; echo ActiveState=active; echo told >> ${0%/*}/calls
            """)
        let restarter = OwnerRestarter(
            .systemd, directories: [programs.path], supplicantDirectory: peer.directory)
        restarter.restart("wlan0", Self.supplicant, evenIfAtWork: true, serving: []) { _ in
            Issue.record("told")
        }
        if isHung {
            #expect(await eventually { programs.calls.contains { $0.contains(" show ") } })
        } else {
            #expect(await eventually { peer.serve { _ in [Array("PONG\n".utf8)] } || !peer.commands.isEmpty })
        }
        restarter.stop()
        try programs.write("go", "")
        #expect(await eventually { isHung ? programs.calls.last == "told" : peer.countClients() == 0 })
        await runLoop(for: .milliseconds(300))
        #expect(orders.allSatisfy { !$0.hasPrefix("systemctl") })
    }

    @Test("a service that was killed is restarted even after a cancellation, and the end of that is reported")
    func stoppedAfterKill() async throws {
        try programs.write(
            "systemctl",
            """
            case "$1 $2" in
            show*) echo "Id=\(Self.unit)"; echo ActiveState=active ;;
            *kill) until [ -e ${0%/*}/go ]; do /bin/sleep 0.05; done ;;
            esac
            """)
        let restarter = OwnerRestarter(
            .systemd, directories: [programs.path], supplicantDirectory: peer.directory)
        restarter.restart("wlan0", Self.supplicant, evenIfAtWork: false, serving: []) { _ in
            Issue.record("told")
        }
        #expect(await eventually { restarter.isAtWork })
        restarter.stop()
        var ends = 0
        restarter.ended = { ends += 1 }
        try programs.write("go", "")
        #expect(await eventually { ends == 1 })
        #expect(!restarter.isAtWork)
        #expect(orders.last == "systemctl --no-ask-password restart -- \(Self.unit)")
    }

    @Test("a dead NetworkManager is recognised by the file it left, and restarted")
    func absent() async throws {
        try playSystemd("NetworkManager.service", "failed")
        var ownership = Self.supplicant
        ownership.absent = [.networkManager]
        #expect(failure(await restart(ownership, answers: true)) == nil)
        #expect(orders == ["systemctl --no-ask-password restart -- NetworkManager.service"])
    }

    @Test("a dead ConnMan, which leaves no file, is restarted if the interface lacks an address")
    func deadConnMan() async throws {
        try playSystemd("connman.service", "failed")
        var ownership = Self.supplicant
        ownership.network = Ownership.Part(isNeeded: false)
        #expect(failure(await restart(ownership, answers: true))?.kind == .unavailable)
        ownership.network.isNeeded = true
        #expect(failure(await restart(ownership, answers: true)) == nil)
        #expect(orders == ["systemctl --no-ask-password restart -- connman.service"])
    }

    @Test("running owners are queried before a failed service counts as a missing owner")
    func failedBeside() async throws {
        try programs.write(
            "systemctl",
            """
            [ "$1" = show ] || exit 0
            echo Id=dhcpcd.service; echo ActiveState=failed; echo; echo "Id=\(Self.unit)"; echo ActiveState=active
            """)
        var ownership = Self.supplicant
        ownership.network = Ownership.Part()
        #expect(failure(await restart(ownership)) == nil)
        #expect(orders.last == "systemctl --no-ask-password restart -- \(Self.unit)")
        // If the interface has its address, no DHCP client is needed, so the failed one is not restarted.
        ownership.network.isNeeded = false
        #expect(failure(await restart(ownership, answers: true))?.kind == .unavailable)
        #expect(orders.count == 2)
        ownership.network.isNeeded = true
        #expect(failure(await restart(ownership, answers: true)) == nil)
        #expect(orders.last == "systemctl --no-ask-password restart -- dhcpcd.service")
    }

    @Test("without a known unit that runs the owner, nothing is restarted")
    func noUnit() async throws {
        #expect(failure(await restart(Self.supplicant))?.kind == .unavailable)
        try playSystemd("ifup@wlan0.service", "active")
        #expect(
            failure(await restart(Self.supplicant))?.description
                == "it is not known which service runs wpa_supplicant (restart it by hand)")
        #expect(orders.isEmpty)
    }

    @Test("an error of systemd is returned as the failure")
    func refused() async throws {
        try playSystemd(
            "iwd.service", "failed", restart: #"echo "Access denied" >&2; exit 4"#)
        let gone = Ownership(station: Ownership.Part(), network: Ownership.Part())
        let told = failure(await restart(gone))
        #expect(told?.kind == .other && told?.description == "systemctl ended with status 4: Access denied")
    }

    // MARK: Without systemd

    @Test(
        "with OpenRC a service is restarted if it is started or has crashed",
        arguments: [(0, true), (32, true), (3, false), (1, false)])
    func openRC(status: Int, isRestarted: Bool) async throws {
        try programs.write(
            "rc-service",
            #"case "$1 $2" in "wpa_supplicant status") exit \#(status) ;; *" status") exit 1 ;; esac"#)
        let isDead = status == 32
        let gone = Ownership(station: Ownership.Part(), network: Ownership.Part(isNeeded: false))
        let result = await restart(
            isDead ? gone : Self.supplicant, by: .openRC, evenIfAtWork: !isDead, answers: !isDead)
        #expect((result != nil && failure(result) == nil) == isRestarted)
        let orders = programs.calls.filter { !$0.hasSuffix(" status") }
        let expected = (isDead ? ["zap", "start"] : ["restart"]).map { "rc-service wpa_supplicant \($0)" }
        #expect(orders == (isRestarted ? expected : []))
        #expect(programs.calls.first == "rc-service wpa_supplicant.wlan0 status")
    }

    @Test(
        "without systemd, too, a service for this interface alone is restarted beside an access point",
        arguments: [
            (ServiceManager.openRC, "wpa_supplicant.wlan0", true), (.openRC, "wpa_supplicant", false),
            (.runit, "wpa_supplicant-wlan0", true), (.runit, "wpa_supplicant", false),
        ])
    func servingWithoutSystemd(manager: ServiceManager, service: String, isRestarted: Bool) async throws {
        try programs.write(
            "rc-service", #"case "$*" in "\#(service) status") ;; *" status") exit 1 ;; esac"#)
        try programs.write("sv", #"[ "$*" != "status \#(service)" ] || echo "run: \#(service): (pid 7) 5s""#)
        let other = serving("ap0", .supplicant, sharesRadio: false)
        let result = await restart(
            Self.supplicant, by: manager, evenIfAtWork: true, answers: true, serving: [other])
        #expect((result != nil && failure(result) == nil) == isRestarted)
        let orders = programs.calls.filter { !$0.contains("status") }
        let order = manager == .openRC ? "rc-service \(service) restart" : "sv -w 25 restart \(service)"
        #expect(orders == (isRestarted ? [order] : []))
    }

    @Test(
        "with procd a service is restarted if it runs, or has ended so often that procd gave it up",
        arguments: [
            ("running", 0, true), ("not running", 5, true), ("inactive", 3, false),
            ("active with no instances", 0, false),
        ])
    func procd(words: String, status: Int, isRestarted: Bool) async throws {
        try programs.write("wpad", #"[ "$1" != status ] || { echo "\#(words)"; exit \#(status); }"#)
        let isDead = status == 5
        let gone = Ownership(station: Ownership.Part(), network: Ownership.Part(isNeeded: false))
        let result = await restart(
            isDead ? gone : Self.supplicant, by: .procd, evenIfAtWork: !isDead, answers: !isDead)
        #expect((result != nil && failure(result) == nil) == isRestarted)
        #expect(programs.calls.filter { $0 != "wpad status" } == (isRestarted ? ["wpad restart"] : []))
    }
}
