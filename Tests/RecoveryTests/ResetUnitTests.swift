import Foundation
import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import Recovery

@MainActor
@Suite("The unit that resets a device", .timeLimit(.minutes(5))) struct ResetUnitTests {
    private static let function = "devices/0000:03:00.0"

    private let tree: SysfsTree
    private let unit: ResetUnit

    init() throws {
        tree = try SysfsTree()
        try tree.device(Self.function, on: "pci", driver: "iwlwifi")
        try tree.write("", "\(Self.function)/reset")
        try tree.give("wlan0", index: 7, of: Self.function)
        unit = try #require(
            ResetUnit("wlan0", BusReset.of("wlan0", sysfs: tree.root), runDirectory: "\(tree.root)/run"))
    }

    private func begin() throws {
        try tree.write("", "run/wlan0.intent")
        try tree.remove("\(Self.function)/driver")
        try tree.remove("\(Self.function)/net/wlan0")
    }

    private func giveBack() throws {
        try tree.link("bus/pci/drivers/iwlwifi", from: "\(Self.function)/driver")
        try tree.give("wlan0", index: 9, of: Self.function)
    }

    // MARK: The unit's name and files

    @Test(
        "the interface's name, escaped as by systemd-escape(1), is the unit's instance name",
        arguments: [
            ("wlan0", "wlan0"), ("wlx02ab-1", "wlx02ab\\x2d1"), ("a.b:c_d", "a.b:c_d"), (".a", "\\x2ea"),
            ("é", "\\xc3\\xa9"), ("a@b", "a\\x40b"), ("\\", "\\x5c"), ("--method", "\\x2d\\x2dmethod"),
            ("\u{1}", "\\x01"),
        ])
    func names(name: String, escaped: String) {
        #expect(SystemdUnit.escaped(name) == escaped)
        let unitName = name == ".a" ? nil : "wifi-toggler-reset@\(escaped).service"
        #expect(ResetUnit(name, unit.reset)?.name == unitName)
    }

    @Test("there is no unit for a name that is not one path component", arguments: ["", ".", "..", "a/b"])
    func noName(name: String) { #expect(ResetUnit(name, unit.reset) == nil) }

    @Test("the unit is used only for Wi-Fi, if systemd runs and the unit is installed and not masked")
    func installed() throws {
        let isInstalled = { ResetUnit.isInstalled(for: "wlan0", root: tree.root) }
        let own = "etc/systemd/system/wifi-toggler-reset@.service"
        try tree.write("[Unit]\n", "usr/lib/systemd/system/wifi-toggler-reset@.service")
        try tree.write("", "sys/class/net/wlan0/phy80211/index")
        #expect(!isInstalled(), "systemd does not run")
        try tree.write("", "run/systemd/system/any")
        #expect(isInstalled())
        #expect(!ResetUnit.isInstalled(for: "eth0", root: tree.root), "not Wi-Fi")
        try FileManager.default.createDirectory(
            atPath: "\(tree.root)/etc/systemd/system", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: "\(tree.root)/\(own)", withDestinationPath: "/dev/null")
        #expect(!isInstalled(), "masked")
        try tree.remove(own)
        try tree.remove("usr/lib/systemd/system/wifi-toggler-reset@.service")
        #expect(!isInstalled())
    }

    // MARK: Waiting for the unit's end

    /// Awaits the unit's end. In place of a wait, each pause calls `act` with its number, and `act` plays the
    /// unit.
    private func awaitEnd(
        beginning: Duration = .seconds(5), _ act: @escaping (Int) throws -> Void
    ) throws -> (DriverBinding.Interface, moments: Int) {
        var moments = 0
        let found = try unit.awaitEnd(since: 7, beginning: beginning) { _ in
            moments += 1
            try? act(moments)
            usleep(1000)
            return true
        }
        return (found, moments)
    }

    @Test("the unit is awaited while its record exists, even before the device is away")
    func awaited() throws {
        #expect(!unit.hasBegun(since: 7))
        try tree.write("", "run/wlan0.intent")
        let (found, moments) = try awaitEnd(beginning: .zero) { moment in
            switch moment {
            case 3: try begin()
            case 6:
                #expect(unit.hasBegun(since: 7))
                try giveBack()
            case 9: try tree.remove("run/wlan0.intent")
            default: break
            }
        }
        #expect(found == DriverBinding.Interface(index: 9, name: "wlan0") && moments == 9)
        #expect(unit.hasBegun(since: 7))
    }

    @Test("the unit's beginning is awaited, but only for the given time")
    func late() throws {
        let (found, moments) = try awaitEnd { moment in
            if moment == 4 { try begin() }
            guard moment == 8 else { return }
            try giveBack()
            try tree.remove("run/wlan0.intent")
        }
        #expect(found.index == 9 && moments == 8)
        let other = try #require(ResetUnit("wlan0", unit.reset, runDirectory: "\(tree.root)/run"))
        let still = try other.awaitEnd(since: 9, beginning: .milliseconds(20)) { _ in
            usleep(1000)
            return true
        }
        #expect(still.index == 9)
    }

    @Test("if the interface was missing before, the unit has begun if its record or the interface exists")
    func lost() throws {
        try tree.remove("\(Self.function)/net/wlan0")
        let reset = try #require(unit.reset.ofLoss)
        let unit = try #require(ResetUnit("wlan0", reset, runDirectory: "\(tree.root)/run"))
        #expect(!unit.hasBegun(since: 7))
        try tree.write("", "run/wlan0.intent")
        #expect(unit.hasBegun(since: 7))
        try tree.remove("run/wlan0.intent")
        try tree.give("wlan0", index: 9, of: Self.function)
        #expect(unit.hasBegun(since: 7))
        #expect(LinkUndo.unit(unit).isOfLoss && !LinkUndo.unit(self.unit).isOfLoss)
    }

    @Test("a device that the unit does not give back is reported")
    func notBack() throws {
        try begin()
        #expect(throws: DriverBinding.Problem.notBack) {
            _ = try unit.awaitEnd(since: 7, within: .milliseconds(20)) { duration in
                usleep(1000)
                return duration < .milliseconds(100) ? false : true
            }
        }
    }

    // MARK: Starting the unit

    private static let index = InterfaceIndex(rawValue: 7)

    private func start(
        _ script: String, then act: @escaping () throws -> Void = {}
    ) async throws -> (lowered: Result<Void, Failure>?, ended: Result<Void, Failure>?, calls: [String]) {
        let programs = try OwnerPrograms()
        try programs.write("systemctl", script)
        let runner = ResetUnitRunner(directories: [programs.path])
        var (lowered, ended): (Result<Void, Failure>?, Result<Void, Failure>?)
        runner.start(unit, Self.index) { lowered = $0 }
        #expect(lowered == nil, "never inside the call")
        try act()
        #expect(await eventually { lowered != nil })
        runner.awaitEnd(of: unit) { ended = $0 }
        #expect(ended == nil, "never inside the call")
        try tree.write("", "may-end")
        #expect(await eventually { ended != nil })
        return (lowered, ended, programs.calls)
    }

    private func failure(_ result: Result<Void, Failure>?) -> Failure? {
        if case .failure(let failure)? = result { failure } else { nil }
    }

    @Test(
        "the unit counts as begun when the device is away, and as ended when systemctl has ended",
        .enabled(if: geteuid() == 0, "programs must be root's"))
    func begins() async throws {
        let found = try await start("until [ -e \(tree.root)/may-end ]; do sleep 0.01; done", then: begin)
        #expect(failure(found.lowered) == nil && failure(found.ended) == nil)
        #expect(found.calls == ["systemctl --no-ask-password restart -- wifi-toggler-reset@wlan0.service"])
    }

    @Test(
        "if systemd refuses to start the unit, its message is the failure, and the link is not down",
        .enabled(if: geteuid() == 0, "programs must be root's"))
    func refused() async throws {
        let found = try await start(
            "echo 'Failed to restart wifi-toggler-reset@wlan0.service: Access denied' >&2; exit 4")
        let failure = try #require(self.failure(found.lowered))
        #expect(failure.kind == .unavailable)
        #expect(
            failure.description
                == "systemctl ended with status 4: Failed to restart wifi-toggler-reset@wlan0.service: Access denied"
        )
    }

    @Test(
        "if the unit fails after it has taken the device away, the link counts as lowered",
        .enabled(if: geteuid() == 0, "programs must be root's"))
    func failsLate() async throws {
        let found = try await start(
            "until [ -e \(tree.root)/may-end ]; do sleep 0.01; done; echo 'Job failed'; exit 1", then: begin)
        #expect(failure(found.lowered) == nil)
        #expect(failure(found.ended)?.description == "systemctl ended with status 1: Job failed")
    }

    @Test("without systemctl the unit cannot be started")
    func noSystemctl() async throws {
        let runner = ResetUnitRunner(directories: [tree.root])
        var lowered: Result<Void, Failure>?
        runner.start(unit, Self.index) { lowered = $0 }
        #expect(lowered == nil)
        #expect(await eventually { lowered != nil })
        #expect(failure(lowered)?.kind == .unavailable)
    }
}
