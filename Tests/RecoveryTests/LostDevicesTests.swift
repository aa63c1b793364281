import Glibc
import Model
import TestSupport
import Testing

@testable import Recovery

/// A script of the test stands in for busctl, so no request reaches a bus. The answers have the form of iwd 2.3.
@MainActor
@Suite(
    "An iwd that lists no device", .timeLimit(.minutes(10)),
    .enabled(if: geteuid() == 0, "programs must be root's"))
struct LostDevicesTests {
    private let programs: OwnerPrograms

    init() throws { programs = try OwnerPrograms() }

    private nonisolated static let listCall =
        "busctl --system --auto-start=no call net.connman.iwd / org.freedesktop.DBus.ObjectManager"
        + " GetManagedObjects"
    private nonisolated static let pingCall =
        "busctl --system --auto-start=no call net.connman.iwd / org.freedesktop.DBus.Peer Ping"
    private nonisolated static let none =
        #"a{oa{sa{sv}}} 1 "/net/connman/iwd" 1 "net.connman.iwd.AgentManager" 0"#
    private nonisolated static let own = some("wlan0", isUp: false)

    /// A list with one device.
    private nonisolated static func some(_ name: String, isUp: Bool) -> String {
        #"a{oa{sa{sv}}} 2 "/net/connman/iwd" 1 "net.connman.iwd.AgentManager" 0 "/net/connman/iwd/0/3" 1"#
            + #" "net.connman.iwd.Device" 2 "Name" s "\#(name)" "Powered" b \#(isUp)"#
    }

    private func ownership(
        station: [Owner] = [.iwd], network: [Owner] = [.networkd], isDelegatedToIwd: Bool = false
    ) -> Ownership {
        Ownership(
            station: Ownership.Part(station.map { Ownership.Claim($0, "seen") }),
            network: Ownership.Part(network.map { Ownership.Claim($0, "seen") }, isNeeded: false),
            isDelegatedToIwd: isDelegatedToIwd)
    }

    /// Writes a busctl that prints these answers to the calls about devices, one after the other, and the last one
    /// again and again.
    private func play(_ answers: [String]) throws {
        let cases = answers.enumerated().map { number, answer in
            let pattern = number == answers.count - 1 ? "*" : "\(number + 1)"
            return "\(pattern)) echo '\(answer)' ;;"
        }
        try programs.write(
            "busctl",
            """
            [ "${7-}" = GetManagedObjects ] || exit 0
            case $(/usr/bin/grep -c GetManagedObjects ${0%/*}/calls) in
            \(cases.joined(separator: "\n"))
            esac
            """)
    }

    private func condition(
        _ ownership: Ownership, pause: Duration = .milliseconds(1)
    ) async -> OwnerCondition?? {
        var answers: [OwnerCondition?] = []
        OwnerConditionQuery(
            .systemd, directories: [programs.path], scripts: programs.path,
            supplicantDirectory: programs.path, pause: pause, timeout: testTimeout
        )
        .ask("wlan0", ownership) { answers.append($0) }
        #expect(await eventually { !answers.isEmpty })
        return answers.count == 1 ? answers[0] : .none
    }

    @Test("iwd has lost its devices if it lists none twice, with a pause in between")
    func lost() async throws {
        try play([Self.none])
        let clock = ContinuousClock()
        let begun = clock.now
        #expect(
            await condition(ownership(), pause: .milliseconds(300)) == OwnerCondition(.iwd, .lostDevices))
        #expect(clock.now - begun >= .milliseconds(300))
        #expect(
            programs.calls.filter { $0.hasPrefix("busctl") && $0.contains("iwd") } == [
                Self.listCall, Self.listCall,
            ])
    }

    @Test(
        "iwd is at work if it lists a device, also one that is down, another one, or one that has just appeared",
        arguments: [[own], [some("wlan0", isUp: true)], [some("wlan9", isUp: true)], [none, own]])
    func listed(answers: [String]) async throws {
        try play(answers)
        #expect(await condition(ownership()) == .some(nil))
        #expect(programs.calls.filter { $0 == Self.listCall }.count == answers.count)
    }

    @Test(
        "an answer that is not iwd's complete list is no evidence, neither as the first nor as the second",
        arguments: [
            "", "a{oa{sa{sv}}}", "a{oa{sa{sv}}} 0", "\(none) 1", "a(oa{sv}) 0", "s \"none\"",
            none.replacing("a{oa{sa{sv}}} 1", with: "a{oa{sa{sv}}} 2"), String(none.dropLast(2)),
        ])
    func malformed(answer: String) async throws {
        try play([answer])
        #expect(await condition(ownership()) == .some(nil))
        #expect(programs.calls.filter { $0 == Self.listCall }.count == 1)
        // `calls` still has the call above, so the first of these answers is not used.
        try play(["", Self.none, answer])
        #expect(await condition(ownership()) == .some(nil))
        #expect(programs.calls.filter { $0 == Self.listCall }.count == 3)
    }

    @Test(
        "beside wpa_supplicant, and below a manager that may use wpa_supplicant, iwd is only asked for an answer",
        arguments: [
            ([Owner.supplicant, .iwd], [Owner.networkd]), ([.iwd], [.networkManager]),
            ([.iwd], [.networkd, .connman]),
        ])
    func others(station: [Owner], network: [Owner]) async throws {
        try play([Self.none])
        #expect(await condition(ownership(station: station, network: network)) == .some(nil))
        #expect(!programs.calls.contains(Self.listCall) && programs.calls.contains(Self.pingCall))
    }

    @Test("below a NetworkManager that is configured to use iwd, iwd is asked for its devices")
    func delegated() async throws {
        try play([Self.none])
        #expect(
            await condition(ownership(network: [.networkManager], isDelegatedToIwd: true))
                == OwnerCondition(.iwd, .lostDevices))
    }

    @Test("iwd is restarted, and not killed first, if it still lists no device", arguments: [true, false])
    func restart(isLost: Bool) async throws {
        try play(isLost ? [Self.none] : [Self.own])
        try programs.write(
            "systemctl", #"[ "$1" != show ] || { echo Id=iwd.service; echo ActiveState=active; }"#)
        var outcomes: [Result<Void, Failure>] = []
        OwnerRestarter(
            .systemd, directories: [programs.path], scripts: programs.path,
            supplicantDirectory: programs.path, pause: .milliseconds(1)
        ).restart("wlan0", ownership(), evenIfAtWork: false, serving: []) { outcomes.append($0) }
        #expect(await eventually { !outcomes.isEmpty })
        let orders = programs.calls.filter { $0.hasPrefix("systemctl") && !$0.contains(" show ") }
        #expect(orders == (isLost ? ["systemctl --no-ask-password restart -- iwd.service"] : []))
    }
}
