import Glibc
import Model
import Platform
import Recovery
import TestSupport
import Testing

@testable import Guarding

@Suite("The intent record of a bounce") struct IntentRecordTests {
    static let record = IntentRecord(
        boot: "3f9c9a3e-8a0b-4a53-9d0b-0f1c6a1d2e3f", namespace: "4:4026531840",
        index: InterfaceIndex(rawValue: 7), name: "wlan0",
        order: GuardOrder(
            macAddress: MACAddress([2, 0, 0, 0, 1, 0xff]),
            snapshot: Snapshot(items: [
                Snapshot.Item(
                    kind: .address, message: [0x4c, 0, 0, 0xff],
                    description: "inet6 2001:db8::2/64 dev wlan0",
                    isAdministrators: true),
                Snapshot.Item(
                    kind: .route, message: [], description: "default proto dhcp", isAdministrators: false),
            ]), downTime: .seconds(3), settle: .milliseconds(1500), restores: true))

    @Test("a record that was written is read back the same")
    func roundTrip() {
        #expect(IntentRecord(Self.record.bytes) == Self.record)
        var nameless = Self.record
        nameless.order.macAddress = nil
        nameless.order.restores = false
        nameless.order.snapshot = Snapshot()
        #expect(IntentRecord(nameless.bytes) == nameless)
    }

    @Test("the address owner and each item's source are read back; unknown values make the record invalid")
    func addressOwner() {
        var record = Self.record
        record.order.snapshot.addressOwner = .networkd
        record.order.snapshot.items[0].configSource = .linkLocal
        record.order.snapshot.items[1].configSource = .provided
        #expect(IntentRecord(record.bytes) == record)
        let text = String(decoding: record.bytes, as: UTF8.self)
        #expect(text.contains("\nowner systemd-networkd\nitem address admin/link-local "))
        for (good, bad) in [
            ("owner systemd-networkd", "owner somebody"), ("owner systemd-networkd", "owner "),
            ("other/provided", "other/"), ("other/provided", "other/x"), ("other/provided", "/provided"),
        ] {
            #expect(IntentRecord(Array(text.replacing(good, with: bad).utf8)) == nil, "\(bad)")
        }
    }

    @Test(
        "a record with unusual characters in the interface name is read back the same",
        arguments: ["\u{301}wlan0", "a b", "\u{fffd}", "-", "é", "\u{1b}[31m\u{7}"])
    func names(name: String) throws {
        var record = Self.record
        record.name = name
        record.order.snapshot.items[0].description = name
        #expect(IntentRecord(record.bytes) == record)
    }

    /// How a method is undone, the method, and the record's line about it.
    private static let allUndos: [(LinkUndo, Method, String)] = [
        (.radio(RadioSwitch(index: 12)), .rfkill, "radio 12"),
        (
            .driver(DriverBinding(bus: "usb", driver: "mt76x2u", device: "1-1.4:1.0")!), .rebind,
            "driver usb mt76x2u 1-1.4:1.0"
        ),
        (.reset(reset("usb mt76x2u 1-1.4:1.0")), .reset, "reset usb mt76x2u 1-1.4:1.0"),
        (.reset(reset("pci iwlwifi 0000:03:00.0")), .reset, "reset pci iwlwifi 0000:03:00.0"),
        (
            .reset(
                reset("sdio brcmfmac mmc1:0001:1", "sdio brcmfmac mmc1:0001:2", "platform bcm 3f300000.mmcnr")
            ),
            .reset,
            "reset sdio brcmfmac mmc1:0001:1 sdio brcmfmac mmc1:0001:2 platform bcm 3f300000.mmcnr"
        ),
        (
            .unit(ResetUnit("wlan0", reset("usb mt76x2u 1-1.4:1.0"))!), .reset,
            "reset-unit usb mt76x2u 1-1.4:1.0"
        ),
    ]

    private static func reset(_ devices: String...) -> BusReset {
        let bindings = devices.map { device in
            let words = device.split(separator: " ").map(String.init)
            return DriverBinding(bus: words[0], driver: words[1], device: words[2])!
        }
        return BusReset(bindings)!
    }

    @Test(
        "the record's line about undoing a method determines the method, and is read back the same",
        arguments: allUndos)
    func undo(_ undo: LinkUndo, _ method: Method, _ line: String) throws {
        let record = IntentRecord(
            boot: Self.record.boot, namespace: Self.record.namespace, index: Self.record.index,
            name: Self.record.name, order: Self.record.order, undo: undo)
        #expect(record.order.method == method)
        #expect(String(decoding: record.bytes, as: UTF8.self).contains("\nrestore yes\n\(line)\nitem"))
        #expect(IntentRecord(record.bytes) == record)
        for length in 0..<record.bytes.count {
            #expect(IntentRecord(Array(record.bytes[..<length])) == nil, "\(length)")
        }
    }

    @Test("a record without a line about undoing a method is that of the method bounce")
    func old() throws {
        let text = """
            wifi-toggler-intent 1
            boot 3f9c9a3e-8a0b-4a53-9d0b-0f1c6a1d2e3f
            namespace 4:4026531840
            interface 7 02:00:00:00:01:ff wlan0
            down 3000000000
            settle 1500000000
            restore yes
            item address admin 4c0000ff inet6 2001:db8::2/64 dev wlan0
            item route other  default proto dhcp
            end

            """
        #expect(IntentRecord(Array(text.utf8)) == Self.record)
        #expect(Self.record.undo == .link && Self.record.order.method == .bounce)
        #expect(String(decoding: Self.record.bytes, as: UTF8.self) == text)
    }

    @Test(
        "a malformed line about undoing a method makes the record invalid",
        arguments: [
            "radio", "radio ", "radio -1", "radio 4294967296", "radio 1 2", "driver pci iwlwifi",
            "driver pci iwlwifi 0000:03:00.0 more", "driver pci iwlwifi ../x", "driver .. iwlwifi x",
            "reset", "reset ", "reset usb mt76x2u", "reset usb mt76x2u 1-1.4",
            "reset usb mt76x2u 1-1.4:1.0 more",
            "reset usb mt76x2u ../../1-1:1.0", "reset usb .. 1-1.4:1.0", "reset usb a 1-1:1.0 usb a 1-1:1.1",
            "reset pci iwlwifi 0000:03:00.0 pci iwlwifi 0000:04:00.0", "reset pci iwlwifi 0000:03:00.0 ",
            "reset platform sdhci 3f300000.mmcnr", "reset virtio virtio_net virtio1",
            "reset sdio a mmc1:0001:1 sdio a mmc2:0001:2", "reset sdio a mmc1:0001:1 usb a 1-1:1.0",
            "reset sdio a mmc1:0001:1 platform b c platform d e", "reset usb mt76x2u 1-1.4:1.0\nradio 1",
            "driver usb mt76x2u 1-1.4:1.0 usb mt76x2u 1-1.4:1.1",
            "reset-unit", "reset-unit usb mt76x2u 1-1.4", "reset-unit usb mt76x2u ../../1-1:1.0",
            "reset-unit virtio virtio_net virtio1", "reset-unit pci iwlwifi 0000:03:00.0 more",
            "driver pci  x", "driver pci iwl\u{7f} x", "radio 1\nradio 2", "bounce",
        ])
    func nonsense(line: String) {
        let text = String(decoding: Self.record.bytes, as: UTF8.self)
        let place = text.firstRange(of: "restore yes")!
        let changed = text.replacingCharacters(in: place, with: "restore yes\n\(line)")
        #expect(IntentRecord(Array(changed.utf8)) == nil)
    }

    @Test(
        "a unit's record is invalid if the interface name is a path", arguments: ["../wlan0", ".", "a/b"])
    func unitOfAPath(name: String) {
        var record = Self.record
        record.undo = .unit(ResetUnit("wlan0", Self.reset("usb mt76x2u 1-1.4:1.0"))!)
        record.name = name
        #expect(IntentRecord(record.bytes) == nil)
    }

    @Test("a reset unit reads its device from a service's record, and ignores records that are not for it")
    func orderedReset() throws {
        let scratch = try Scratch()
        var record = Self.record
        record.boot = BootID.boot ?? IntentRecord.unknown
        record.namespace = BootID.networkNamespace ?? IntentRecord.unknown
        record.undo = .unit(ResetUnit("wlan0", Self.reset("usb mt76x2u 1-1.4:1.0"))!)
        let file = try IntentFile(interface: "wlan0", directory: scratch.path)
        let ordered = { (record: IntentRecord) in
            try file.write(record.bytes, isPublic: true)
            return try IntentRecord.orderedReset(of: "wlan0", in: scratch.path)
        }
        #expect(try ordered(record) == Self.reset("usb mt76x2u 1-1.4:1.0"))
        var status = stat()
        #expect(stat("\(scratch.path)/wlan0.intent", &status) == 0 && status.st_mode & 0o777 == 0o644)

        for undo in [LinkUndo.link, .reset(Self.reset("usb mt76x2u 1-1.4:1.0"))] {
            var other = record
            other.undo = undo
            #expect(try ordered(other) == nil, "no unit")
        }
        var (old, far, misnamed) = (record, record, record)
        old.boot = "of another boot"
        far.namespace = "of another namespace"
        misnamed.name = "wlan1"
        for other in [old, far, misnamed] { #expect(try ordered(other) == nil) }
        try file.write(Array("nonsense".utf8))
        #expect(try IntentRecord.orderedReset(of: "wlan0", in: scratch.path) == nil)
        try file.write([UInt8](repeating: 10, count: 1 << 20 + 1))
        #expect(throws: SystemError(call: "openat", code: EINVAL)) {
            try IntentRecord.orderedReset(of: "wlan0", in: scratch.path)
        }
        file.remove()
        #expect(try IntentRecord.orderedReset(of: "wlan0", in: scratch.path) == nil)
        #expect(try IntentRecord.orderedReset(of: "wlan0", in: "\(scratch.path)/none") == nil)
        symlink("/etc/passwd", "\(scratch.path)/wlan0.intent")
        #expect(throws: SystemError(call: "openat", code: ELOOP)) {
            try IntentRecord.orderedReset(of: "wlan0", in: scratch.path)
        }
        #expect(throws: SystemError.self) { try IntentRecord.orderedReset(of: "../wlan0", in: scratch.path) }
    }

    @Test("a down time or settle time beyond the options' limits is cut to those limits")
    func bounded() throws {
        let text = String(decoding: Self.record.bytes, as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.hasPrefix("down ") || line.hasPrefix("settle ")
                ? line.prefix { $0 != " " } + " 10000000000000000" : String(line)
        }
        let record = try #require(IntentRecord(Array(lines.joined(separator: "\n").utf8)))
        #expect(record.order.downTime == .seconds(60) && record.order.settle == .seconds(600))
    }

    @Test("a record that is cut off anywhere is invalid")
    func cutOff() {
        let bytes = Self.record.bytes
        for length in 0..<bytes.count { #expect(IntentRecord(Array(bytes[..<length])) == nil, "\(length)") }
    }

    @Test("a line break in a description does not forge a line")
    func forged() throws {
        var record = Self.record
        record.order.snapshot.items[0].description = "a\nend\n"
        record.name = "x\ny"
        let read = try #require(IntentRecord(record.bytes))
        #expect(read.order.snapshot.items.count == 2)
        #expect(read.name == "x?y")
    }

    @Test(
        "a record with a malformed field is invalid",
        arguments: [
            ("intent 1", "intent 2"), ("interface 7", "interface 0"), ("interface 7", "interface -7"),
            ("interface 7", "interface 99999999999"), ("down 3000000000", "down -1"),
            ("down 3000000000", "down 9223372036854775807"), ("restore yes", "restore maybe"),
            ("item address", "item adress"), (" admin ", " root "), ("4c0000ff", "4c0000f"),
            ("4c0000ff", "4c0000fg"), ("02:00:00", "02-00-00"), ("02:00:00", "+2:00:00"),
        ])
    func nonsense(right: String, wrong: String) {
        let text = String(decoding: Self.record.bytes, as: UTF8.self)
        guard let place = text.firstRange(of: right) else {
            Issue.record("no '\(right)' in the record")
            return
        }
        #expect(IntentRecord(Array(text.replacingCharacters(in: place, with: wrong).utf8)) == nil)
    }
}

extension String {
    fileprivate func replacingCharacters(in range: Range<Index>, with other: String) -> String {
        String(self[..<range.lowerBound]) + other + String(self[range.upperBound...])
    }
}
