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

    // MARK: Its name and its files

    @Test(
        "the name of an interface becomes that of an instance, as systemd-escape(1) writes it",
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

    @Test("no interface has a name that is not one component of a path", arguments: ["", ".", "..", "a/b"])
    func noName(name: String) { #expect(ResetUnit(name, unit.reset) == nil) }

    @Test("it is used only for Wi-Fi, where systemd runs and has it, and nobody has masked it")
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

    // MARK: Waiting for its end

    /// Waits in no test; each call is a moment in which the unit may act.
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

    @Test("it is awaited while it has a record, also before the device is away")
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

    @Test("after an order that nobody has carried out yet, its beginning is awaited, and then no longer")
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

    @Test("if the interface was missing before, it has begun when it has a record, or the interface is there")
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

    @Test("a device that it does not give back is reported")
    func notBack() throws {
        try begin()
        #expect(throws: DriverBinding.Problem.notBack) {
            _ = try unit.awaitEnd(since: 7, within: .milliseconds(20)) { duration in
                usleep(1000)
                return duration < .milliseconds(100) ? false : true
            }
        }
    }

    // MARK: Starting it

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
        "it counts as begun when the device is away, and as ended when systemctl has ended",
        .enabled(if: geteuid() == 0, "programs must be root's"))
    func begins() async throws {
        let found = try await start("until [ -e \(tree.root)/may-end ]; do sleep 0.01; done", then: begin)
        #expect(failure(found.lowered) == nil && failure(found.ended) == nil)
        #expect(found.calls == ["systemctl --no-ask-password restart -- wifi-toggler-reset@wlan0.service"])
    }

    @Test(
        "if systemd refuses to start it, its message is the failure, and nothing is down",
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
        "if it fails after the device was taken away, the link is down",
        .enabled(if: geteuid() == 0, "programs must be root's"))
    func failsLate() async throws {
        let found = try await start(
            "until [ -e \(tree.root)/may-end ]; do sleep 0.01; done; echo 'Job failed'; exit 1", then: begin)
        #expect(failure(found.lowered) == nil)
        #expect(failure(found.ended)?.description == "systemctl ended with status 1: Job failed")
    }

    @Test("without systemctl it cannot be started")
    func noSystemctl() async throws {
        let runner = ResetUnitRunner(directories: [tree.root])
        var lowered: Result<Void, Failure>?
        runner.start(unit, Self.index) { lowered = $0 }
        #expect(lowered == nil)
        #expect(await eventually { lowered != nil })
        #expect(failure(lowered)?.kind == .unavailable)
    }
}
