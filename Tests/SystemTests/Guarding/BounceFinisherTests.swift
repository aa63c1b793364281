import Foundation
import Model
import Platform
import Recovery
import Testing

@testable import Guarding
@testable import Netlink

/// How a guard or `repair` restores a link that was taken down by its rfkill switch or its driver. The
/// kernel's links and routes are real; /dev/rfkill and /sys are files of the test.
@MainActor
@Suite(
    "Finishing an interrupted bounce", .serialized,
    .enabled(if: NetlinkLaboratory.isPossible, NetlinkLaboratory.requirement))
struct BounceFinisherTests {
    private let files = FileManager.default
    private let root: String

    private static let administrators = [
        "addr add 10.9.0.2/24 dev near", "addr add fd77::2/64 dev near nodad",
        "route add default via 10.9.0.1",
        "route add 192.0.2.0/24 via 10.9.0.1 metric 50 table 100",
        "route add 203.0.113.0/24 nexthop via 10.9.0.1 dev near nexthop via 10.9.0.3 dev near weight 2",
        "-6 route add default via fd77::1 dev near metric 7",
        "neigh add 10.9.0.5 lladdr 02:00:00:00:01:00 dev near nud permanent",
        "nexthop add id 7 via 10.9.0.1 dev near", "route add 198.51.100.0/24 nhid 7",
    ]

    init() throws {
        root = files.temporaryDirectory.path + "/finisher-\(UUID().uuidString)"
    }

    private func run(
        _ laboratory: NetlinkLaboratory, _ record: IntentRecord, from stage: IntentFile.Stage = .keptDown,
        timeout: Duration = .zero, isBegun: Bool = true,
        pause: @escaping (Duration) -> Bool = BounceFinisher.sleep
    ) throws -> FinishedBounce {
        var kernel = try laboratory.inside { try NetlinkSession() }
        let finisher = BounceFinisher(record: record, timeout: timeout, isBegun: isBegun, pause: pause)
        return finisher.run(&kernel, from: stage)
    }

    private func link(_ laboratory: NetlinkLaboratory) throws -> Link {
        try laboratory.inside {
            var kernel = try NetlinkSession()
            return try kernel.link(InterfaceIndex(rawValue: Int32(if_nametoindex("near"))))
        }
    }

    private func record(
        _ laboratory: NetlinkLaboratory, _ undo: LinkUndo, _ snapshot: Snapshot = Snapshot()
    ) throws -> IntentRecord {
        let link = try link(laboratory)
        return IntentRecord(
            boot: nil, namespace: nil, index: link.index, name: "near",
            order: GuardOrder(
                macAddress: link.identity, snapshot: snapshot, downTime: .zero, settle: .seconds(5),
                restores: true), undo: undo)
    }

    private func write(_ text: String, _ name: String) throws {
        let file = URL(fileURLWithPath: "\(root)/\(name)")
        try files.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private func text(_ name: String) -> [UInt8] {
        Array(files.contents(atPath: "\(root)/\(name)") ?? Data())
    }

    private func inLaboratory(_ body: (NetlinkLaboratory) async throws -> Void) async throws {
        let laboratory = try NetlinkLaboratory()
        try files.createDirectory(atPath: root, withIntermediateDirectories: true)
        defer {
            laboratory.remove()
            try? files.removeItem(atPath: root)
        }
        try laboratory.nearIP("link set near up")
        try await body(laboratory)
    }

    // MARK: The rfkill switch

    private func recordWithBlockedRadio(_ laboratory: NetlinkLaboratory) throws -> IntentRecord {
        try write("1\n", "class/rfkill/rfkill3/soft")
        try write("", "device")
        return try record(laboratory, .radio(RadioSwitch(index: 3, device: root + "/device", sysfs: root)))
    }

    @Test("a radio that the method rfkill blocked is unblocked, and the link raised")
    func radio() async throws {
        try await inLaboratory { laboratory in
            let record = try recordWithBlockedRadio(laboratory)
            #expect(record.order.method == .rfkill)
            try laboratory.nearIP("link set near down")
            let finishedBounce = try run(laboratory, record)
            #expect(finishedBounce == .finished(wasDown: true, Restoration()))
            #expect(text("device") == [3, 0, 0, 0, 1, 2, 0, 0])
            #expect(try link(laboratory).isUp)
        }
    }

    @Test("the rfkill switch is left alone if the link is up, or was set down after the raise")
    func radioUntouched() async throws {
        try await inLaboratory { laboratory in
            let record = try recordWithBlockedRadio(laboratory)
            #expect(try run(laboratory, record) == .finished(wasDown: false, Restoration()))
            try laboratory.nearIP("link set near down")
            #expect(try run(laboratory, record, from: .settling) == .leftDown)
            #expect(text("device").isEmpty)
        }
    }

    @Test("the radio is unblocked even if its interface has disappeared, unless the link was raised before")
    func radioOfMissingInterface() async throws {
        try await inLaboratory { laboratory in
            let record = try recordWithBlockedRadio(laboratory)
            try laboratory.nearIP("link delete near")
            #expect(try run(laboratory, record, from: .settling) == .gone)
            #expect(text("device").isEmpty)
            #expect(try run(laboratory, record) == .gone)
            #expect(text("device") == [3, 0, 0, 0, 1, 2, 0, 0])
        }
    }

    @Test("a missing rfkill switch does not prevent the raise of the link")
    func radioGone() async throws {
        try await inLaboratory { laboratory in
            let radio = RadioSwitch(index: 3, device: root + "/device", sysfs: root)
            let record = try record(laboratory, .radio(radio))
            try laboratory.nearIP("link set near down")
            #expect(try run(laboratory, record) == .finished(wasDown: true, Restoration()))
        }
    }

    // MARK: The driver

    private static let device = "devices/0000:03:00.0"

    private func makeDevice() throws -> DriverBinding {
        for file in ["bind", "unbind"] { try write("", "bus/pci/drivers/virtual/\(file)") }
        try write("", "\(Self.device)/uevent")
        try files.createDirectory(atPath: "\(root)/bus/pci/devices", withIntermediateDirectories: true)
        try files.createSymbolicLink(
            atPath: "\(root)/bus/pci/devices/0000:03:00.0", withDestinationPath: "\(root)/\(Self.device)")
        return try #require(
            DriverBinding(bus: "pci", driver: "virtual", device: "0000:03:00.0", sysfs: root))
    }

    /// Simulates the kernel when the driver is bound to the device: an interface with another index and
    /// address.
    private func bind(_ laboratory: NetlinkLaboratory) throws {
        try files.createSymbolicLink(
            atPath: "\(root)/\(Self.device)/driver", withDestinationPath: "\(root)/bus/pci/drivers/virtual")
        try laboratory.nearIP("link add near type veth peer name far netns \(laboratory.far)")
        try laboratory.ip("-n \(laboratory.far) addr add 10.9.0.1/24 dev far")
        try laboratory.ip("-n \(laboratory.far) link set far up")
        try write("\(try link(laboratory).index.rawValue)\n", "\(Self.device)/net/near/ifindex")
    }

    @Test("an unbound driver is bound again, and the new interface gets what the old one had")
    func driver() async throws {
        try await inLaboratory { laboratory in
            for words in Self.administrators {
                try laboratory.nearIP(words)
            }
            let binding = try makeDevice()
            let commands = try laboratory.inside { try NetlinkCommands() }
            let old = try link(laboratory).index
            let snapshot = try await answer { commands.takeSnapshot(of: old, $0) }
            let record = try record(laboratory, .driver(binding), snapshot)
            try laboratory.nearIP("link delete near")
            let finishedBounce = try run(laboratory, record) { duration in
                if !binding.isBound { try? bind(laboratory) }
                return BounceFinisher.sleep(duration)
            }
            guard case .finished(wasDown: true, let restoration) = finishedBounce else {
                Issue.record("\(finishedBounce)")
                return
            }
            #expect(String(decoding: text("bus/pci/drivers/virtual/bind"), as: UTF8.self) == "0000:03:00.0")
            #expect(restoration.refused.isEmpty, "\(restoration)")
            let new = try link(laboratory)
            #expect(new.isUp && new.index != old)
            let after = try await answer { commands.takeSnapshot(of: new.index, $0) }
            let owned = { (snapshot: Snapshot) in
                Set(snapshot.items.filter(\.isAdministrators).map(\.description))
            }
            #expect(owned(after) == owned(snapshot))
            #expect(
                Set(after.items.filter { $0.kind == .route && $0.isAdministrators }.map(\.message))
                    == Set(
                        snapshot.moved(from: old, to: new.index).items.filter {
                            $0.kind == .route && $0.isAdministrators
                        }.map(\.message)))
        }
    }

    @Test("if the worker has already bound the driver, the interface with the new index is raised")
    func driverBound() async throws {
        try await inLaboratory { laboratory in
            let binding = try makeDevice()
            let record = try record(laboratory, .driver(binding))
            try laboratory.nearIP("link delete near")
            try bind(laboratory)
            #expect(try run(laboratory, record) == .finished(wasDown: true, Restoration()))
            #expect(text("bus/pci/drivers/virtual/bind").isEmpty)
            #expect(try link(laboratory).isUp)
            try laboratory.nearIP("link set near down")
            #expect(try run(laboratory, record, from: .settling) == .leftDown)
        }
    }

    @Test("a driver that somebody unbound after the raise stays unbound, and a missing device counts as gone")
    func driverElsewhere() async throws {
        try await inLaboratory { laboratory in
            let binding = try makeDevice()
            let record = try record(laboratory, .driver(binding))
            try laboratory.nearIP("link delete near")
            #expect(try run(laboratory, record, from: .settling) == .leftDown)
            #expect(text("bus/pci/drivers/virtual/bind").isEmpty)
            try files.removeItem(atPath: "\(root)/bus/pci/devices/0000:03:00.0")
            #expect(try run(laboratory, record) == .gone)
        }
    }

    // MARK: The device on its bus

    private static let usb = "devices/usb1/1-1"
    private static let port = "devices/usb1/1-0:1.0/usb1-port1"

    private func makeUSBDevice(_ authorized: String, _ disable: String) throws -> BusReset {
        try write(authorized, "\(Self.usb)/authorized")
        try write(disable, "\(Self.port)/disable")
        try files.createDirectory(atPath: "\(root)/bus/usb/devices", withIntermediateDirectories: true)
        for place in [Self.usb, "devices/usb1/1-0:1.0"] {
            try? files.createSymbolicLink(
                atPath: "\(root)/bus/usb/devices/\(place.split(separator: "/").last!)",
                withDestinationPath: "\(root)/\(place)")
        }
        let binding = try #require(
            DriverBinding(bus: "usb", driver: "virtual", device: "1-1:1.0", sysfs: root))
        return try #require(BusReset([binding]))
    }

    /// Simulates the kernel when the device is on its bus and authorized.
    private func enumerate(_ laboratory: NetlinkLaboratory) throws {
        guard text("\(Self.usb)/authorized") == Array("1\n".utf8),
            text("\(Self.port)/disable") == Array("0\n".utf8)
        else { return }
        try files.createDirectory(
            atPath: "\(root)/bus/usb/devices/1-1:1.0/driver", withIntermediateDirectories: true)
        try laboratory.nearIP("link add near type veth peer name far netns \(laboratory.far)")
        try laboratory.ip("-n \(laboratory.far) link set far up")
        try write("\(try link(laboratory).index.rawValue)\n", "bus/usb/devices/1-1:1.0/net/near/ifindex")
    }

    @Test(
        "a device left in any state of a reset is restored, and the new interface raised",
        arguments: [("0\n", "0\n"), ("1\n", "1\n"), ("0\n", "1\n")])
    func reset(authorized: String, disable: String) async throws {
        try await inLaboratory { laboratory in
            let reset = try makeUSBDevice(authorized, disable)
            let record = try record(laboratory, .reset(reset))
            #expect(record.order.method == .reset)
            let old = try link(laboratory).index
            try laboratory.nearIP("link delete near")
            let finishedBounce = try run(laboratory, record) { duration in
                if reset.isAway { try? enumerate(laboratory) }
                return BounceFinisher.sleep(duration)
            }
            #expect(finishedBounce == .finished(wasDown: true, Restoration()))
            let new = try link(laboratory)
            #expect(new.isUp && new.index != old)
        }
    }

    @Test("while a unit resets the device, the finisher waits, and writes nothing to the device")
    func unit() async throws {
        try await inLaboratory { laboratory in
            let reset = try makeUSBDevice("0\n", "0\n")
            let unit = try #require(ResetUnit("near", reset, runDirectory: "\(root)/run"))
            let record = try record(laboratory, .unit(unit))
            #expect(record.order.method == .reset)
            let old = try link(laboratory).index
            try write("", "run/near.intent")
            try laboratory.nearIP("link delete near")
            var pauses = 0
            let finishedBounce = try run(laboratory, record) { duration in
                pauses += 1
                if pauses == 3 {
                    #expect(text("\(Self.usb)/authorized") == Array("0\n".utf8))
                    try? write("1\n", "\(Self.usb)/authorized")
                    try? enumerate(laboratory)
                }
                if pauses == 5 { try? files.removeItem(atPath: "\(root)/run/near.intent") }
                return BounceFinisher.sleep(duration)
            }
            #expect(finishedBounce == .finished(wasDown: true, Restoration()) && pauses >= 5)
            let new = try link(laboratory)
            #expect(new.isUp && new.index != old)
        }
    }

    @Test("a device that has lost its interface is left alone at once if its reset had not begun")
    func lostBefore() async throws {
        try await inLaboratory { laboratory in
            let bound = try makeUSBDevice("1\n", "0\n")
            try write("", "bus/usb/drivers/virtual/bind")
            try files.createDirectory(
                atPath: "\(root)/\(Self.usb)/1-1:1.0", withIntermediateDirectories: true)
            try files.createSymbolicLink(
                atPath: "\(root)/bus/usb/devices/1-1:1.0", withDestinationPath: "\(root)/\(Self.usb)/1-1:1.0")
            try files.createSymbolicLink(
                atPath: "\(root)/\(Self.usb)/1-1:1.0/driver",
                withDestinationPath: "\(root)/bus/usb/drivers/virtual")
            let reset = try #require(bound.ofLoss)
            let record = try self.record(laboratory, .reset(reset))
            try laboratory.nearIP("link delete near")
            var pauses = 0
            let pause = { (_: Duration) in
                pauses += 1
                return pauses < 5
            }
            #expect(try run(laboratory, record, isBegun: false, pause: pause) == .gone && pauses == 0)
            #expect(
                try run(laboratory, record, pause: pause)
                    == .notRaised(Failure(DriverBinding.Problem.notBack)))
            #expect(pauses == 5, "the process may have given it back before it died")
            // If the unit has no record, it was not started, or it has failed.
            let unit = try #require(ResetUnit("near", reset, runDirectory: "\(root)/run"))
            var ordered = record
            ordered.undo = .unit(unit)
            #expect(try run(laboratory, ordered, timeout: .seconds(600)) { _ in false } == .gone)
        }
    }

    @Test("a device that somebody removed after the raise is left alone")
    func resetElsewhere() async throws {
        try await inLaboratory { laboratory in
            let record = try record(laboratory, .reset(makeUSBDevice("0\n", "0\n")))
            try laboratory.nearIP("link delete near")
            #expect(try run(laboratory, record, from: .settling) == .leftDown)
            #expect(text("\(Self.usb)/authorized") == Array("0\n".utf8))
        }
    }

    @Test("a driver that gives no interface is retried within the time-out, and then reported")
    func driverFails() async throws {
        try await inLaboratory { laboratory in
            let binding = try makeDevice()
            let record = try record(laboratory, .driver(binding))
            try laboratory.nearIP("link delete near")
            var pauses = 0
            let finishedBounce = try run(laboratory, record, timeout: .seconds(600)) { _ in
                pauses += 1
                // A pause that waits for the interface is refused; the pause before the next attempt is
                // permitted twice.
                return pauses % 2 == 0 && pauses < 5
            }
            #expect(finishedBounce == .notRaised(Failure(DriverBinding.Problem.notBack)))
            #expect(pauses == 6, "three attempts, each with one read and one wait")
        }
    }
}
