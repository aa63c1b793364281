import Foundation
import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import Recovery

@MainActor
@Suite(
    "Restarting an owner that was not started by its own unit", .timeLimit(.minutes(10)),
    .enabled(if: geteuid() == 0, "programs must be root's"))
struct OwnerPlaceTests {
    private let programs: OwnerPrograms
    private let peer: SupplicantPeer
    private let scratch: Scratch

    init() throws {
        programs = try OwnerPrograms()
        peer = try SupplicantPeer()
        scratch = try Scratch()
        // As on Debian, where wpa_supplicant.service, for D-Bus, is always active. `state` can make it
        // failed.
        try programs.write(
            "systemctl",
            """
            [ "$1" = show ] || exit 0
            for unit; do case $unit in
                *@*|netplan-*) echo "Id=$unit"; echo ActiveState=inactive; echo ;;
                *.service) echo "Id=$unit"; echo "ActiveState=$(cat ${0%/*}/state)"; echo ;;
            esac; done
            """)
        try state("active")
    }

    private static let process: Int32 = 4_194_305

    private func state(_ state: String) throws {
        try Data(state.utf8).write(to: URL(filePath: "\(programs.path)/state"))
    }

    /// The ownership of an interface with a wpa_supplicant, and with ifupdown or dhclient.
    private func ownership(isIfupdown: Bool = true, isRunning: Bool = true) -> Ownership {
        let claim = Ownership.Claim(.supplicant, "seen", process: Self.process)
        return Ownership(
            station: Ownership.Part(isRunning ? [claim] : []),
            network: Ownership.Part([Ownership.Claim(isIfupdown ? .ifupdown : .dhclient, "seen")]))
    }

    private func runs(in path: String) throws {
        try scratch.write("0::\(path)\n", to: "proc/\(Self.process)/cgroup")
    }

    /// Restarts the owner of wlan0.
    /// - Returns: the failure, and the commands that change something.
    private func restart(
        _ ownership: Ownership, by manager: ServiceManager = .systemd, answers: Bool = false
    ) async throws -> (failure: Failure?, orders: [String]) {
        var outcomes: [Result<Void, Failure>] = []
        OwnerRestarter(
            manager, root: scratch.path, directories: [programs.path], scripts: programs.path,
            supplicantDirectory: peer.directory
        )
        .restart("wlan0", ownership, evenIfAtWork: answers, serving: []) { outcomes.append($0) }
        #expect(
            await eventually {
                if answers { _ = peer.serve { _ in [Array("PONG\n".utf8)] } }
                return !outcomes.isEmpty
            })
        let failure: Failure? = if case .failure(let failure)? = outcomes.first { failure } else { nil }
        return (failure, programs.calls.filter { !$0.contains(" show ") })
    }

    @Test(
        "ifupdown's supplicant in a unit of other interfaces is left alone, and the message has the commands",
        arguments: ["networking.service", "system-ifup.slice/ifup@wlan1.service"])
    func ifupdown(path: String) async throws {
        try runs(in: "/system.slice/\(path)")
        let unit = path.split(separator: "/").last ?? ""
        let (failure, orders) = try await restart(ownership())
        #expect(failure?.kind == .unavailable && orders.isEmpty)
        let words = "wpa_supplicant runs in \(unit), which this program does not restart"
        #expect(
            failure?.description
                == "\(words) (run 'sudo kill -KILL \(Self.process); sudo ifdown wlan0 && sudo ifup wlan0')")
        let (named, none) = try await restart(ownership(), answers: true)
        #expect(named?.description == "\(words) (run 'sudo ifdown wlan0 && sudo ifup wlan0')" && none.isEmpty)
    }

    @Test(
        "the unit in which the owner's process runs is restarted",
        arguments: ["wpa_supplicant.service", "ifup@wlan0.service"])
    func own(unit: String) async throws {
        try programs.write(
            "systemctl", #"[ "$1" != show ] || { echo "Id=\#(unit)"; echo ActiveState=active; }"#)
        try runs(in: "/system.slice/\(unit)")
        let (failure, orders) = try await restart(ownership())
        #expect(failure == nil)
        #expect(
            orders == [
                "systemctl --no-ask-password kill --signal=SIGKILL -- \(unit)",
                "systemctl --no-ask-password restart -- \(unit)",
            ])
        #expect(
            programs.calls.filter { $0.contains(" show ") }
                == ["systemctl show --property=Id,ActiveState -- \(unit)"])
    }

    @Test("an owner in another unit, or in none, is left alone")
    func elsewhere() async throws {
        try runs(in: "/system.slice/wpa_supplicant@wlan1.service")
        var (failure, orders) = try await restart(ownership(isIfupdown: false))
        #expect(
            failure?.description
                == "wpa_supplicant runs in wpa_supplicant@wlan1.service, which this program does"
                + " not restart (run 'sudo systemctl restart wpa_supplicant@wlan1.service')")
        try runs(in: "/user.slice/user-0.slice/session-1.scope")
        (failure, orders) = try await restart(ownership(isIfupdown: false))
        #expect(
            failure?.description == "wpa_supplicant runs in no unit of systemd"
                + " (run 'sudo kill -KILL \(Self.process)', and start it again)")
        #expect(orders.isEmpty)
    }

    @Test(
        "if a supplicant that ifupdown started is dead, another unit that has failed is not restarted",
        arguments: [true, false])
    func dead(hasFile: Bool) async throws {
        try state("failed")
        if hasFile { try scratch.write("\(Self.process)\n", to: "run/wpa_supplicant.wlan0.pid") }
        let (failure, orders) = try await restart(ownership(isRunning: false))
        if hasFile {
            #expect(
                failure?.description == "wpa_supplicant was started by ifupdown, in no unit of its own"
                    + " (run 'sudo ifdown wlan0 && sudo ifup wlan0')")
            #expect(orders.isEmpty)
        } else {
            #expect(failure == nil)
            #expect(orders == ["systemctl --no-ask-password restart -- wpa_supplicant.service"])
        }
    }

    @Test("if the owner's process is unknown, or systemd does not run, the first active service is restarted")
    func unknown() async throws {
        let (failure, orders) = try await restart(ownership())
        #expect(
            failure == nil && orders.last == "systemctl --no-ask-password restart -- wpa_supplicant.service")
        try runs(in: "/system.slice/networking.service")
        try programs.write("rc-service", #"[ "$1" = wpa_supplicant ]"#)
        let (other, all) = try await restart(ownership(), by: .openRC)
        #expect(other == nil && all.last == "rc-service wpa_supplicant restart")
    }
}
