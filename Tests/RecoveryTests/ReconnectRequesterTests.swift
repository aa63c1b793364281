import Foundation
import Glibc
import Model
import TestSupport
import Testing

@testable import Recovery

@MainActor
@Suite(
    "Asking an owner to reconnect", .timeLimit(.minutes(10)),
    .enabled(if: geteuid() == 0, "programs must be root's"))
struct ReconnectRequesterTests {
    private let programs: OwnerPrograms
    private let peer: SupplicantPeer
    init() throws {
        programs = try OwnerPrograms()
        peer = try SupplicantPeer()
    }

    private static let profile = "11111111-2222-3333-4444-55555555555f"

    private func ownership(station: [Owner] = [.supplicant], network: [Owner]) -> Ownership {
        Ownership(
            station: Ownership.Part(station.map { Ownership.Claim($0, "seen") }),
            network: Ownership.Part(network.map { Ownership.Claim($0, "seen") }))
    }

    /// Its owners have as much time as the tests: what plays them may wait for a busy processor.
    private func requester() -> ReconnectRequester {
        ReconnectRequester(
            directories: ["/nowhere", programs.path], supplicantDirectory: peer.directory,
            timeout: testTimeout)
    }

    private func ask(
        _ ownership: Ownership, _ interface: String = "wlan0", _ reconnectRequest: ReconnectRequester? = nil,
        answer: (String) -> String = { $0 == "STATUS" ? "wpa_state=COMPLETED\n" : "OK\n" }
    ) async -> Result<Void, Failure> {
        var outcomes: [Result<Void, Failure>] = []
        (reconnectRequest ?? requester()).ask(interface, ownership) { outcomes.append($0) }
        #expect(outcomes.isEmpty, "it was told inside the call")
        #expect(await eventually { peer.serve { [Array(answer($0).utf8)] } || !outcomes.isEmpty })
        return outcomes.first ?? .failure(Failure(kind: .other, description: "never told"))
    }

    private func failure(_ result: Result<Void, Failure>) -> Failure? {
        if case .failure(let failure) = result { failure } else { nil }
    }

    private func playNetworkManager(
        state: String = "100 (connected)", reason: String = "0 (No reason given)", up: String = "exit 0"
    ) throws {
        try programs.write(
            "nmcli",
            """
            case "$1 $4" in
            "--terse device") echo "Warning: nmcli and NetworkManager versions do not match" >&2
                echo "GENERAL.STATE:\(state)"; echo "GENERAL.REASON:\(reason)"; echo GENERAL.AUTOCONNECT:yes
                echo GENERAL.CON-UUID:\(Self.profile)
                echo "CONNECTIONS.AVAILABLE-CONNECTIONS[1]:\(Self.profile) | lab" ;;
            "--terse connection") echo "\(Self.profile):1700000000:yes:" ;;
            *) \(up) ;;
            esac
            """)
    }

    private static let deviceCall =
        "nmcli --terse --fields GENERAL.STATE,GENERAL.REASON,GENERAL.AUTOCONNECT,GENERAL.CON-UUID,"
        + "CONNECTIONS.AVAILABLE-CONNECTIONS device show wlan0"
    private static let upCall = "nmcli --wait 30 connection up uuid \(profile) ifname wlan0"

    @Test("NetworkManager is queried for the active profile, and told to activate that profile again")
    func networkManager() async throws {
        try playNetworkManager()
        #expect(failure(await ask(ownership(network: [.networkManager]))) == nil)
        #expect(
            programs.calls == [Self.deviceCall, Self.upCall])
        #expect(peer.commands.isEmpty, "the supplicant is NetworkManager's")
    }

    @Test("if NetworkManager has given up, its profiles are queried, and the last used one is activated")
    func revived() async throws {
        try playNetworkManager(state: "30 (disconnected)")
        #expect(failure(await ask(ownership(network: [.networkManager]))) == nil)
        #expect(
            programs.calls == [
                Self.deviceCall, "nmcli --terse --fields UUID,TIMESTAMP,AUTOCONNECT,DEVICE connection show",
                Self.upCall,
            ])
    }

    private func condition(
        _ ownership: Ownership, of interface: String = "wlan0", answer: (String) -> String = { _ in "FAIL\n" }
    ) async -> OwnerCondition?? {
        var answers: [OwnerCondition?] = []
        OwnerConditionQuery(
            directories: [programs.path], supplicantDirectory: peer.directory, timeout: testTimeout
        )
        .ask(interface, ownership) { answers.append($0) }
        #expect(await eventually { peer.serve { [Array(answer($0).utf8)] } || !answers.isEmpty })
        return answers.count == 1 ? answers[0] : .none
    }

    @Test("the condition of an owner is found with one query that changes nothing")
    func condition() async throws {
        let networkManager = ownership(network: [.networkManager])
        try playNetworkManager(state: "30 (disconnected)")
        #expect(await condition(networkManager) == OwnerCondition(.networkManager, .gaveUp))
        #expect(programs.calls == [Self.deviceCall])
        try playNetworkManager(state: "30 (disconnected)", reason: "39 (user requested)")
        #expect(await condition(networkManager) == OwnerCondition(.networkManager, .toldToDisconnect))
        try playNetworkManager()
        #expect(await condition(networkManager) == .some(nil))
    }

    @Test(
        "a wpa_supplicant with temporarily disabled networks has given up, unless NetworkManager controls it")
    func postponed() async throws {
        let list = { (_: String) in "0\tlab\tany\t[TEMP-DISABLED]\n" }
        let gaveUp = OwnerCondition(.supplicant, .gaveUp)
        #expect(await condition(ownership(network: []), answer: list) == gaveUp)
        #expect(await condition(ownership(network: [.networkd]), answer: list) == gaveUp)
        #expect(await condition(ownership(network: [])) == .some(nil))
        try playNetworkManager()
        #expect(await condition(ownership(network: [.networkManager]), answer: list) == .some(nil))
        #expect(peer.commands == [String](repeating: "LIST_NETWORKS", count: 4))
    }

    @Test("one query shows that ConnMan has given up, and one request makes it try again")
    func connman() async throws {
        let connman = ownership(network: [.connman])
        let path = "/net/connman/service/wifi_1_2_managed_psk"
        try programs.write(
            "busctl",
            """
            [ "${7-}" = GetServices ] || exit 0
            echo 'a(oa{sv}) 1 "\(path)" 6 "Type" s "wifi" "State" s "idle" "Error" s "invalid-key" "Favorite" b true \
            "AutoConnect" b true "Ethernet" a{sv} 1 "Interface" s "wlan0"'
            """)
        let query = "busctl --system --auto-start=no call net.connman / net.connman.Manager GetServices"
        #expect(await condition(connman) == OwnerCondition(.connman, .gaveUp))
        #expect(programs.calls == [query])
        #expect(failure(await ask(connman)) == nil)
        let order = "busctl --system --auto-start=no call net.connman \(path) net.connman.Service"
        #expect(programs.calls == [query, query, "\(order) ClearProperty s Error"])
    }

    private static let listCall = "networkctl --no-pager --no-legend --full list wlan0"
    private static let pingCall =
        "busctl --system --auto-start=no call org.freedesktop.network1 / org.freedesktop.DBus.Peer Ping"

    @Test(
        "networkd that failed to configure the link has given up only if the link still lacks its address"
    )
    func failed() async throws {
        var networkd = ownership(station: [.iwd], network: [.networkd])
        try programs.write("networkctl", "echo ' 3 wlan0 wlan carrier failed'")
        #expect(await condition(networkd) == OwnerCondition(.networkd, .gaveUp))
        #expect(programs.calls == [Self.listCall])
        networkd.network.isNeeded = false
        #expect(await condition(networkd) == .some(nil))
        networkd.network.isNeeded = true
        try programs.write("busctl", "exit 0")
        try programs.write("networkctl", "echo ' 3 wlan0 wlan carrier configuring'")
        #expect(await condition(networkd) == .some(nil))
        #expect(programs.calls.suffix(2) == [Self.pingCall, Self.listCall])
    }

    @Test("without a query or an answer, or with two owners of the interface, no owner's condition is known")
    func noCondition() async throws {
        #expect(await condition(ownership(network: [.networkd])) == .some(nil))
        #expect(await condition(ownership(network: [.networkManager])) == .some(nil), "no nmcli")
        try programs.write("nmcli", "exit 8")
        #expect(await condition(ownership(network: [.networkManager])) == .some(nil))
        #expect(await condition(ownership(network: [.networkManager]), of: "-wlan0") == .some(nil))
        #expect(programs.calls == [Self.deviceCall])
        #expect(await condition(ownership(network: [.networkManager, .networkd])) == .some(nil))
    }

    @Test("an owner is not told to reconnect if a user has told it to disconnect")
    func disconnected() async throws {
        try playNetworkManager(state: "30 (disconnected)", reason: "39 (user requested)")
        let told = failure(await ask(ownership(network: [.networkManager])))
        #expect(told?.kind == .other)
        #expect(
            told?.description
                == "a user told NetworkManager to leave it disconnected (run 'sudo nmcli device connect wlan0')"
        )
        #expect(programs.calls.count == 1)
        let supplicant = await ask(ownership(network: [.networkd])) { _ in "wpa_state=DISCONNECTED\n" }
        #expect(failure(supplicant)?.kind == .other)
        #expect(peer.commands == ["LIST_NETWORKS", "STATUS"] && programs.calls.count == 1)
    }

    @Test(
        "an owner's error is returned, and its kind says whether the owner may have begun",
        arguments: [
            (
                "echo 'Error: Connection activation failed: Not authorized to control networking.' >&2; exit 4",
                Failure.Kind.other,
                ": Error: Connection activation failed: Not authorized to control networking."
            ),
            ("echo Hint; echo 'Error: no network'; exit 4", .lost, ": Error: no network"),
            ("exit 3", .lost, ""), ("exit 8", .unavailable, ""), ("exit 2", .other, ""),
        ])
    func ownersError(script: String, kind: Failure.Kind, words: String) async throws {
        try playNetworkManager(up: script)
        let told = failure(await ask(ownership(network: [.networkManager])))
        #expect(told?.kind == kind)
        let status = String(script.suffix(1))
        #expect(told?.description == "nmcli ended with status \(status)\(words)")
    }

    @Test("the scan owner is asked before the address owner")
    func layers() async throws {
        try programs.write("networkctl", "exit 0")
        #expect(failure(await ask(ownership(network: [.networkd]))) == nil)
        #expect(peer.commands == ["LIST_NETWORKS", "STATUS", "REASSOCIATE"])
        #expect(programs.calls == ["networkctl reconfigure wlan0"])
    }

    @Test(
        "if one owner cannot be asked, the other is asked; a failure after one has begun says so"
    )
    func partly() async throws {
        try programs.write("networkctl", "exit 0")
        #expect(failure(await ask(ownership(network: [.networkd]), "wlan1")) == nil, "no socket of this name")
        #expect(programs.calls == ["networkctl reconfigure wlan1"])
        try programs.write("networkctl", "echo Access denied >&2; exit 1")
        #expect(
            failure(await ask(ownership(network: [.networkd])))
                == Failure(kind: .lost, description: "networkctl ended with status 1: Access denied"))
        #expect(
            failure(await ask(ownership(network: [.networkd]), "wlan1"))
                == Failure(kind: .other, description: "networkctl ended with status 1: Access denied"))
    }

    @Test("a program that is missing, or that others could have written, is not run")
    func untrusted() async throws {
        let directories = "/nowhere, \(programs.path)"
        #expect(
            failure(await ask(ownership(station: [.iwd], network: [.networkd])))
                == Failure(
                    kind: .unavailable, description: "networkctl is not installed (looked in \(directories))")
        )
        try programs.write("networkctl", "exit 0")
        chmod("\(programs.path)/networkctl", 0o757)
        let told = failure(await ask(ownership(station: [.iwd], network: [.networkd])))
        #expect(told?.kind == .unavailable)
        #expect(told?.description == "\(programs.path)/networkctl is writable by its group or by others")
        #expect(programs.calls.isEmpty)
    }

    @Test("an interface name that would be an option is not passed on")
    func dash() async throws {
        try programs.write("networkctl", "exit 0")
        #expect(failure(await ask(ownership(network: [.networkd]), "--all"))?.kind == .unavailable)
        #expect(programs.calls.isEmpty && peer.commands.isEmpty)
    }

    @Test("a cancelled request is ended with its children, reports nothing, and can be repeated")
    func stopped() async throws {
        try playNetworkManager(up: "echo $$ >> ${0%/*}/calls; while :; do /bin/sleep 0.1; done")
        let reconnectRequest = requester()
        var outcomes = 0
        reconnectRequest.ask("wlan0", ownership(network: [.networkManager])) { _ in outcomes += 1 }
        #expect(await eventually { programs.calls.count == 3 })
        let again = failure(await ask(ownership(network: [.networkManager]), "wlan0", reconnectRequest))
        #expect(again?.kind == .busy)
        let process = try #require(pid_t(programs.calls.last ?? ""))
        reconnectRequest.stop(for: "wlan1")
        #expect(kill(process, 0) == 0, "another interface's")
        reconnectRequest.stop(for: "wlan0")
        #expect(await eventually { kill(process, 0) == -1 && errno == ESRCH })
        #expect(outcomes == 0)
        try playNetworkManager()
        #expect(failure(await ask(ownership(network: [.networkManager]), "wlan0", reconnectRequest)) == nil)
    }

    @Test("after a cancellation the second owner is not asked")
    func stoppedBetween() async throws {
        try programs.write("networkctl", "exit 0")
        let reconnectRequest = requester()
        reconnectRequest.ask("wlan0", ownership(network: [.networkd])) { _ in Issue.record("told") }
        reconnectRequest.stop(for: "wlan0")
        #expect(
            await eventually {
                _ = peer.serve {
                    $0 == "STATUS" ? [Array("wpa_state=COMPLETED\n".utf8)] : [Array("OK\n".utf8)]
                }
                return peer.commands.count == 3 && peer.countClients() == 0
            })
        await runLoop(for: .milliseconds(20))
        #expect(programs.calls.isEmpty)
    }
}
