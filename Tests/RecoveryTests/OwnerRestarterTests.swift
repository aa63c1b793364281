import Glibc
import Model
import TestSupport
import Testing

@testable import Recovery

@MainActor
@Suite(
    "Restarting an owner", .timeLimit(.minutes(2)), .enabled(if: geteuid() == 0, "programs must be root's"))
struct OwnerRestarterTests {
    private let programs: OwnerPrograms
    private let peer: SupplicantPeer
    init() throws {
        programs = try OwnerPrograms()
        peer = try SupplicantPeer()
    }

    private static let unit = "wpa_supplicant-nl80211@wlan0.service"
    private static let supplicant = Ownership(
        station: Ownership.Part([Ownership.Claim(.supplicant, "seen")]),
        network: Ownership.Part([Ownership.Claim(.networkd, "seen")]))

    /// A systemctl that knows one unit.
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

    private func restart(_ ownership: Ownership, evenIfAtWork: Bool = false, answers: Bool = false) async
        -> Result<Void, Failure>?
    {
        var outcomes: [Result<Void, Failure>] = []
        OwnerRestarter(directories: [programs.path], supplicantDirectory: peer.directory)
            .restart("wlan0", ownership, evenIfAtWork: evenIfAtWork) { outcomes.append($0) }
        #expect(
            await eventually {
                if answers { _ = peer.serve { _ in [Array("PONG\n".utf8)] } }
                return !outcomes.isEmpty
            })
        return outcomes.count == 1 ? outcomes[0] : nil
    }

    private func failure(_ result: Result<Void, Failure>?) -> Failure? {
        if case .failure(let failure)? = result { failure } else { nil }
    }

    private var orders: [String] { programs.calls.filter { !$0.contains(" show ") } }

    @Test("one that does not answer is killed and restarted, by the unit that is active")
    func hung() async throws {
        try playSystemd(Self.unit, "active")
        let result = await restart(Self.supplicant)
        #expect(failure(result) == nil && result != nil)
        #expect(
            orders == [
                "systemctl --no-ask-password kill --signal=SIGKILL -- \(Self.unit)",
                "systemctl --no-ask-password restart -- \(Self.unit)",
            ])
    }

    @Test("one that answers is left alone, unless a user names the method")
    func atWork() async throws {
        try playSystemd(Self.unit, "active")
        #expect(failure(await restart(Self.supplicant, answers: true))?.kind == .unavailable)
        #expect(orders.isEmpty)
        let named = await restart(Self.supplicant, evenIfAtWork: true, answers: true)
        #expect(failure(named) == nil && named != nil)
        #expect(orders == ["systemctl --no-ask-password restart -- \(Self.unit)"])
    }

    @Test(
        "one whose service has failed is restarted; one that was stopped is not",
        arguments: ["failed", "inactive"])
    func dead(state: String) async throws {
        let gone = Ownership(station: Ownership.Part(), network: Ownership.Part())
        try playSystemd("iwd.service", state)
        let result = await restart(gone)
        #expect((failure(result) == nil) == (state == "failed"))
        #expect(orders == (state == "failed" ? ["systemctl --no-ask-password restart -- iwd.service"] : []))
    }

    @Test("one that a user told to disconnect is left alone, also if a user names the method")
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
        "one that does not answer by the bus hangs only if the bus itself answers",
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
        "once it is stopped, nothing is killed or restarted, and nothing is told", arguments: [true, false])
    func stopped(isHung: Bool) async throws {
        try programs.write(
            "systemctl",
            """
            [ "$1" = show ] || exit 0
            until [ -e ${0%/*}/go ]; do /bin/sleep 0.05; done
            echo "Id=\(Self.unit)"; echo ActiveState=active; echo told >> ${0%/*}/calls
            """)
        let restarter = OwnerRestarter(directories: [programs.path], supplicantDirectory: peer.directory)
        restarter.restart("wlan0", Self.supplicant, evenIfAtWork: true) { _ in Issue.record("told") }
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

    @Test("the file that a dead NetworkManager left names it")
    func absent() async throws {
        try playSystemd("NetworkManager.service", "failed")
        var ownership = Self.supplicant
        ownership.absent = [.networkManager]
        #expect(failure(await restart(ownership, answers: true)) == nil)
        #expect(orders == ["systemctl --no-ask-password restart -- NetworkManager.service"])
    }

    @Test("a service that has failed is not missed before the owners that are there are asked")
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
        // With an address nothing of dhcpcd's is missed.
        ownership.network.isNeeded = false
        #expect(failure(await restart(ownership, answers: true))?.kind == .unavailable)
        #expect(orders.count == 2)
        ownership.network.isNeeded = true
        #expect(failure(await restart(ownership, answers: true)) == nil)
        #expect(orders.last == "systemctl --no-ask-password restart -- dhcpcd.service")
    }

    @Test("without a unit that is known, or without systemd, nothing is done")
    func noUnit() async throws {
        #expect(failure(await restart(Self.supplicant))?.kind == .unavailable)
        try playSystemd("ifup@wlan0.service", "active")
        #expect(
            failure(await restart(Self.supplicant))?.description
                == "wpa_supplicant runs in no service that is known")
        #expect(orders.isEmpty)
    }

    @Test("what systemd refuses is the failure")
    func refused() async throws {
        try playSystemd(
            "iwd.service", "failed", restart: #"echo "Access denied" >&2; exit 4"#)
        let gone = Ownership(station: Ownership.Part(), network: Ownership.Part())
        let told = failure(await restart(gone))
        #expect(told?.kind == .other && told?.description == "systemctl ended with status 4: Access denied")
    }

    @Test(
        "names of interfaces are escaped in names of units",
        arguments: [("wlan0", "wlan0"), ("wl-a", #"wl\x2da"#), ("a/b", #"a\x2fb"#)])
    func escaped(interface: String, instance: String) {
        #expect(Owner.dhcpcd.units(for: interface) == ["dhcpcd@\(instance).service", "dhcpcd.service"])
    }
}
