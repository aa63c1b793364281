import Foundation
import Platform
import TestSupport
import Testing

@testable import Recovery

@Suite("The driver binding of a device")
struct DriverBindingTests {
    private let tree: DeviceScratch
    init() throws { tree = try DeviceScratch() }

    private func find(_ interface: String = "wlan0") throws(DriverBinding.Problem) -> DriverBinding {
        try .of(interface, sysfs: tree.root)
    }

    private func problem(_ interface: String = "wlan0") -> DriverBinding.Problem? {
        do throws(DriverBinding.Problem) {
            _ = try find(interface)
            return nil
        } catch {
            return error
        }
    }

    @Test("a binding consists of bus, driver and device")
    func found() throws {
        let found = try find()
        #expect(found.bus == "pci" && found.driver == "iwlwifi" && found.device == DeviceScratch.device)
        #expect(found.interfaces == [DriverBinding.Interface(index: 7, name: "wlan0")])
        #expect(found.isPlugged && found.isBound)
    }

    @Test(
        "an interface without a device, a bus or an unbindable driver has no driver binding"
    )
    func virtual() throws {
        try tree.scratch.write("3\n", to: "class/net/veth0/ifindex")
        #expect(problem("veth0") == .unavailable("device"))
        #expect(problem("../net/wlan0") == .unavailable("device"), "a name is no path")
        try tree.remove("bus/pci/drivers/iwlwifi/unbind")
        #expect(problem() == .unavailable("driver that its bus can unbind"))
        try tree.remove("\(DeviceScratch.directory)/driver")
        #expect(problem() == .unavailable("driver that its bus can unbind"))
        // The device of a radio of mac80211_hwsim belongs to a class, not to a bus.
        try tree.remove("\(DeviceScratch.directory)/subsystem")
        try tree.link("class/mac80211_hwsim", from: "\(DeviceScratch.directory)/subsystem")
        #expect(problem() == .unavailable("bus"))
    }

    @Test("the driver of an SDIO card is not unbound, because the interface would not come back")
    func sdio() throws {
        for file in ["bind", "unbind"] { try tree.scratch.write("", to: "bus/sdio/drivers/brcmfmac/\(file)") }
        try tree.link(DeviceScratch.directory, from: "bus/sdio/devices/\(DeviceScratch.device)")
        for (name, target) in [("subsystem", "bus/sdio"), ("driver", "bus/sdio/drivers/brcmfmac")] {
            try tree.remove("\(DeviceScratch.directory)/\(name)")
            try tree.link(target, from: "\(DeviceScratch.directory)/\(name)")
        }
        #expect(problem() == .stranding)
    }

    @Test("a device that merely has the same name on the bus is not taken for the interface's")
    func otherDevice() throws {
        try tree.remove("bus/pci/devices/\(DeviceScratch.device)")
        try tree.link("devices/other", from: "bus/pci/devices/\(DeviceScratch.device)")
        #expect(problem() == .unavailable("driver that its bus can unbind"))
    }

    @Test(
        "a driver whose device also has a disk, a Bluetooth or a virtio device is not unbound",
        arguments: [("block", "block/sda"), ("bluetooth", "bluetooth/hci0"), ("virtio", "virtio3")])
    func foreigners(kind: String, place: String) throws {
        try tree.device(kind, at: "\(DeviceScratch.directory)/\(place)")
        #expect(problem() == .shared(with: String(place.split(separator: "/").last!)))
    }

    @Test("a modem on the transport to its firmware prevents unbinding")
    func modem() throws {
        try tree.device("mhi", at: "\(DeviceScratch.directory)/mhi0")
        try tree.device("wwan", at: "\(DeviceScratch.directory)/mhi0/wwan/wwan0")
        #expect(problem() == .shared(with: "wwan0"))
    }

    @Test("the radio, rfkill switch, LEDs and sensors of a network card do not prevent unbinding")
    func harmless() throws {
        for (kind, place) in [
            ("ieee80211", "ieee80211/phy0"), ("rfkill", "ieee80211/phy0/rfkill1"), ("leds", "leds/phy0-led"),
            ("hwmon", "hwmon/hwmon4"), ("mhi", "mhi0"), ("mhi", "mhi0/mhi0_IPCR"),
        ] {
            try tree.device(kind, at: "\(DeviceScratch.directory)/\(place)")
        }
        try tree.scratch.write("", to: "\(DeviceScratch.directory)/msi_irqs/33")
        #expect(problem() == nil)
    }

    @Test("a second interface of the device, or a bridge on the interface, prevents unbinding")
    func interfaces() throws {
        try tree.device("net", at: "\(DeviceScratch.directory)/net/ap0")
        try tree.scratch.write("8\n", to: "\(DeviceScratch.directory)/net/ap0/ifindex")
        #expect(problem() == .shared(with: "ap0"))
        try tree.remove("\(DeviceScratch.directory)/net/ap0")
        try tree.link("class/net", from: "\(DeviceScratch.directory)/net/wlan0/upper_br0")
        #expect(problem() == .shared(with: "br0"))
    }

    @Test("the device's name is written to its driver's files unbind and bind, only when needed")
    func offAndOn() throws {
        let found = try find()
        try found.bind()
        #expect(try tree.text("bus/pci/drivers/iwlwifi/bind").isEmpty)
        try found.unbind()
        #expect(try tree.text("bus/pci/drivers/iwlwifi/unbind") == DeviceScratch.device)
        try tree.unbind()
        try found.unbind()
        try found.bind()
        #expect(try tree.text("bus/pci/drivers/iwlwifi/bind") == DeviceScratch.device)
    }

    @Test(
        "files opened with privilege can bind the driver after the privilege is given up",
        .enabled(if: geteuid() == 0))
    func opened() throws {
        let found = try find()
        let opened = found.opened()
        try tree.unbind()
        let file = "bus/pci/drivers/iwlwifi/bind"
        let path = "\(tree.root)/\(file)"
        #expect(chmod(path, 0) == 0 && chmod(tree.root, 0o755) == 0)
        withRightsOfNobody {
            let refusal = DriverBinding.Problem.refused(SystemError(call: "open", code: EACCES), path: path)
            #expect(throws: refusal) { try found.bind() }
            #expect(throws: Never.self) { try opened.bind() }
        }
        #expect(try tree.text(file) == DeviceScratch.device)
    }

    @Test("a device that is gone is reported, and so is a file that cannot be written")
    func refused() throws {
        let found = try find()
        let path = "\(tree.root)/bus/pci/drivers/iwlwifi/unbind"
        try tree.remove("bus/pci/drivers/iwlwifi/unbind")
        #expect(throws: DriverBinding.Problem.refused(SystemError(call: "open", code: ENOENT), path: path)) {
            try found.unbind()
        }
        try tree.remove("bus/pci/devices/\(DeviceScratch.device)")
        #expect(throws: DriverBinding.Problem.unplugged) { try found.unbind() }
        #expect(throws: DriverBinding.Problem.unplugged) { try found.bind() }
        #expect(throws: DriverBinding.Problem.unplugged) {
            _ = try found.awaitInterface(named: "wlan0", within: .seconds(20), naming: .zero)
        }
    }

    @Test("after binding, the new interface is awaited, and then its renaming to the old name")
    func back() throws {
        let found = try find()
        try tree.unbind()
        var steps: [() throws -> Void] = [
            {}, { try tree.give("wlan1", index: 9) }, {},
            {
                try tree.remove("\(DeviceScratch.directory)/net/wlan1")
            }, { try tree.give("wlan0", index: 9) },
        ]
        let back = try found.awaitInterface(named: "wlan0", within: .seconds(20), naming: .seconds(20)) { _ in
            if !steps.isEmpty { try? steps.removeFirst()() }
            return true
        }
        #expect(back == DriverBinding.Interface(index: 9, name: "wlan0"))
        #expect(steps.isEmpty, "it came too early")
    }

    @Test("an interface that is not renamed in time is used as it is; a missing one is reported")
    func named() throws {
        let found = try find()
        try tree.unbind()
        #expect(throws: DriverBinding.Problem.notBack) {
            _ = try found.awaitInterface(named: "wlan0", within: .milliseconds(30), naming: .seconds(20))
        }
        try tree.give("wlan1", index: 9)
        let back = try found.awaitInterface(
            named: "wlan0", within: .seconds(20), naming: .milliseconds(30))
        #expect(back == DriverBinding.Interface(index: 9, name: "wlan1"))
    }

    @Test(
        "a device name with a slash, a line break or dots alone is refused",
        arguments: ["", ".", "..", "a/b", "a b", "a\nb", "é", String(repeating: "x", count: 101)])
    func names(name: String) {
        #expect(DriverBinding(bus: name, driver: "d", device: "x") == nil)
        #expect(DriverBinding(bus: "b", driver: name, device: "x") == nil)
        #expect(DriverBinding(bus: "b", driver: "d", device: name) == nil)
    }

    @Test("a rebind mark counts for one device and one boot; an untrusted directory is reported")
    func marks() throws {
        let found = try find()
        let other = try #require(DriverBinding(bus: "pci", driver: "iwlwifi", device: "0000:04:00.0"))
        let directory = tree.root + "/run"
        let mark = RebindMark(found, directory: directory, boot: "one")
        #expect(try !mark.isSet())
        try mark.set()
        #expect(try mark.isSet())
        #expect(try RebindMark(found, directory: directory, boot: "one").isSet())
        #expect(try !RebindMark(found, directory: directory, boot: "two").isSet())
        #expect(try !RebindMark(other, directory: directory, boot: "one").isSet())
        try tree.remove("run")
        try tree.link("class", from: "run")
        #expect(throws: SystemError.self) { _ = try mark.isSet() }
        #expect(throws: SystemError.self) { try mark.set() }
    }
}

/// A tree like /sys with one Wi-Fi card in it.
private struct DeviceScratch {
    static let device = "0000:03:00.0"
    static let directory = "devices/pci0000:00/\(device)"

    private let tree: SysfsTree
    var scratch: Scratch { tree.scratch }
    var root: String { tree.root }

    init() throws {
        tree = try SysfsTree()
        for directory in ["class/net", "devices/other"] {
            try FileManager.default.createDirectory(
                atPath: "\(root)/\(directory)", withIntermediateDirectories: true)
        }
        try tree.device(Self.directory, on: "pci", driver: "iwlwifi")
        try give("wlan0", index: 7)
    }

    /// Adds the interface that the driver creates.
    func give(_ name: String, index: Int) throws {
        try tree.give(name, index: index, of: Self.directory)
        try device("net", at: "\(Self.directory)/net/\(name)")
    }

    /// Removes the files that the kernel removes when the driver is unbound.
    func unbind() throws {
        try remove("\(Self.directory)/driver")
        try remove("\(Self.directory)/net")
    }

    /// Adds a device of this class.
    func device(_ kind: String, at place: String) throws {
        try scratch.write("", to: "\(place)/uevent")
        try link("class/\(kind)", from: "\(place)/subsystem")
    }

    func link(_ target: String, from place: String) throws { try tree.link(target, from: place) }
    func remove(_ place: String) throws { try tree.remove(place) }

    /// The content of a file. Throws if the file does not exist.
    func text(_ place: String) throws -> String {
        try String(contentsOfFile: "\(root)/\(place)", encoding: .utf8)
    }
}
