import Foundation
import Platform
import TestSupport
import Testing

@testable import Recovery

@Suite("The reset of a device on its bus")
struct BusResetTests {
    private let tree: SysfsTree
    init() throws { tree = try SysfsTree() }

    private func find() throws(DriverBinding.Problem) -> BusReset { try .of("wlan0", sysfs: tree.root) }

    private func problem() -> DriverBinding.Problem? {
        do throws(DriverBinding.Problem) {
            _ = try find()
            return nil
        } catch {
            return error
        }
    }

    private func words(_ found: BusReset) -> [String] {
        found.bindings.map { "\($0.bus) \($0.driver) \($0.device)" }
    }

    /// Gives the device back. In place of a wait, each pause runs `kernel`, which acts as the kernel would.
    private func giveBack(_ found: BusReset, _ kernel: @escaping () throws -> Void) throws
        -> DriverBinding.Interface
    {
        try found.giveBack(named: "wlan0", within: .milliseconds(20)) { _ in
            try? kernel()
            usleep(1000)
            return true
        }
    }

    // MARK: USB

    private static let usb = "devices/usb1/1-1/1-1.4"
    private static let port = "devices/usb1/1-1/1-1:1.0/1-1-port4"

    private func plugUSB() throws {
        try tree.device("\(Self.usb)/1-1.4:1.0", on: "usb", driver: "mt76x2u")
        try tree.device(Self.usb, on: "usb", driver: "usb")
        try tree.device("devices/usb1/1-1/1-1:1.0", on: "usb", driver: "hub")
        try tree.device("devices/usb1", on: "usb", driver: "usb")
        try tree.write("1\n", "\(Self.usb)/authorized")
        try tree.write("0\n", "\(Self.port)/disable")
        try tree.write("1\n", "devices/usb1/authorized_default")
        try tree.give("wlan0", index: 7, of: "\(Self.usb)/1-1.4:1.0")
    }

    @Test("a USB device is deauthorized, and authorized again")
    func usbFirst() throws {
        try plugUSB()
        let found = try find()
        #expect(words(found) == ["usb mt76x2u 1-1.4:1.0"])
        #expect(BusReset(found.bindings) == found, "a record says the same")
        try found.takeAway()
        #expect(tree.text("\(Self.usb)/authorized") == "0\n")
        #expect(tree.text("\(Self.port)/disable") == "0\n")
        try tree.remove("\(Self.usb)/1-1.4:1.0")
        #expect(found.isAway)
        let back = try giveBack(found) {
            guard tree.text("\(Self.usb)/authorized") == "1\n" else { return }
            try tree.device("\(Self.usb)/1-1.4:1.0", on: "usb", driver: "mt76x2u")
            try tree.give("wlan0", index: 9, of: "\(Self.usb)/1-1.4:1.0")
        }
        #expect(back == DriverBinding.Interface(index: 9, name: "wlan0"))
        #expect(!found.isAway && tree.text("\(Self.port)/disable") == "0\n")
    }

    @Test("if a USB device does not come back, the power of its port is switched off and on")
    func usbPort() throws {
        try plugUSB()
        let found = try find()
        try found.takeAway()
        try tree.remove("\(Self.usb)/1-1.4:1.0")
        var wasOff = false
        let back = try giveBack(found) {
            if tree.text("\(Self.port)/disable") == "1\n" { wasOff = true }
            guard wasOff, tree.text("\(Self.port)/disable") == "0\n" else { return }
            try tree.device("\(Self.usb)/1-1.4:1.0", on: "usb", driver: "mt76x2u")
            try tree.give("wlan0", index: 9, of: "\(Self.usb)/1-1.4:1.0")
        }
        #expect(back.index == 9 && wasOff)
    }

    @Test(
        "a USB port is not switched off twice, nor if it has no switch or its hub authorizes no new devices",
        arguments: ["devices/usb1/authorized_default", "devices/usb1/1-1/1-1:1.0/1-1-port4/disable", nil])
    func usbPortStays(file: String?) throws {
        try plugUSB()
        var found = try find()
        if let file { try tree.remove(file) } else { found = found.gentle }
        try found.takeAway()
        try tree.remove("\(Self.usb)/1-1.4:1.0")
        #expect(throws: DriverBinding.Problem.unplugged) {
            _ = try giveBack(found) { #expect(tree.text("\(Self.port)/disable") != "1\n") }
        }
        #expect(tree.text("\(Self.usb)/authorized") == "1\n")
    }

    @Test(
        "the port of a USB 3 device stays on if its connector also has a port of USB 2",
        arguments: [("5000", true), ("10000", true), ("480", false), (nil, false)])
    func usbPair(speed: String?, stays: Bool) throws {
        try plugUSB()
        if let speed { try tree.scratch.write(speed + "\n", to: "devices/usb1/speed") }
        try tree.scratch.write("", to: "\(Self.port)/peer")
        let found = try find()
        try found.takeAway()
        try tree.remove("\(Self.usb)/1-1.4:1.0")
        var wasOff = false
        #expect(throws: DriverBinding.Problem.unplugged) {
            _ = try giveBack(found) { wasOff = wasOff || tree.text("\(Self.port)/disable") == "1\n" }
        }
        #expect(wasOff != stays)
    }

    @Test("a USB device that was left in any intermediate state is restored")
    func usbRestored() throws {
        try plugUSB()
        let found = try #require(try BusReset(find().bindings))
        for (authorized, disable) in [("1\n", "0\n"), ("0\n", "0\n"), ("1\n", "1\n"), ("0\n", "1\n")] {
            try tree.write(authorized, "\(Self.usb)/authorized")
            try tree.write(disable, "\(Self.port)/disable")
            try found.restore()
            #expect(
                tree.text("\(Self.usb)/authorized") == "1\n" && tree.text("\(Self.port)/disable") == "0\n")
        }
    }

    @Test("a USB device's functions with the same driver, or with none, are reset with it")
    func usbParts() throws {
        try plugUSB()
        try tree.device("\(Self.usb)/1-1.4:1.1", on: "usb", driver: "mt76x2u")
        try tree.device("\(Self.usb)/1-1.4:1.2", on: "usb", driver: nil)
        #expect(problem() == nil)
        try tree.device("\(Self.usb)/1-1.4:1.3", on: "usb", driver: "btusb")
        #expect(problem() == .shared(with: "btusb"))
    }

    @Test("a USB device with a disk, a second interface or a bridge on the interface is not reset")
    func usbShared() throws {
        try plugUSB()
        try tree.device("\(Self.usb)/1-1.4:1.1", on: "usb", driver: "mt76x2u")
        try tree.give("wlan1", index: 8, of: "\(Self.usb)/1-1.4:1.1")
        #expect(problem() == .shared(with: "wlan1"))
        try tree.remove("\(Self.usb)/1-1.4:1.1/net")
        try tree.link("class/net", from: "class/net/wlan0/upper_br0")
        #expect(problem() == .shared(with: "br0"))
        try tree.device("\(Self.usb)/1-1.4:1.1/block/sda", on: nil, driver: nil)
        try tree.link("class/block", from: "\(Self.usb)/1-1.4:1.1/block/sda/subsystem")
        #expect(problem() == .shared(with: "sda"))
    }

    @Test("a USB device that cannot be deauthorized cannot be reset")
    func usbUnable() throws {
        try plugUSB()
        try tree.remove("\(Self.usb)/authorized")
        #expect(problem() == .unavailable("device that its bus can reset"))
    }

    // MARK: PCI

    private static let pci = "devices/pci0000:00/0000:00:1c.0/0000:03:00.0"
    private static let bus = "devices/pci0000:00/0000:00:1c.0/pci_bus/0000:03"

    private func plugPCI() throws {
        try tree.device(Self.pci, on: "pci", driver: "iwlwifi")
        for file in ["reset", "remove"] { try tree.write("", "\(Self.pci)/\(file)") }
        try tree.write("", "\(Self.bus)/rescan")
        try tree.link(Self.bus, from: "class/pci_bus/0000:03")
        try tree.give("wlan0", index: 7, of: Self.pci)
    }

    @Test("a PCI function's driver is unbound, the function is reset, and the driver is bound again")
    func pciFirst() throws {
        try plugPCI()
        let found = try find()
        #expect(words(found) == ["pci iwlwifi 0000:03:00.0"])
        try found.takeAway()
        #expect(tree.text("bus/pci/drivers/iwlwifi/unbind") == "0000:03:00.0")
        #expect(tree.text("\(Self.pci)/reset") == "1" && tree.text("\(Self.pci)/remove").isEmpty)
        try tree.remove("\(Self.pci)/driver")
        try tree.remove("\(Self.pci)/net")
        let back = try giveBack(found) {
            if !tree.text("bus/pci/drivers/iwlwifi/bind").isEmpty {
                try tree.give("wlan0", index: 9, of: Self.pci)
            }
        }
        #expect(
            back.index == 9 && tree.text("\(Self.pci)/remove").isEmpty
                && tree.text("\(Self.bus)/rescan").isEmpty)
    }

    @Test(
        "a PCI function that has no reset, or whose reset fails, is removed instead",
        arguments: [false, true])
    func pciRemoved(refuses: Bool) throws {
        try plugPCI()
        try tree.remove("\(Self.pci)/reset")
        // A write to `reset` fails, because it is a directory.
        if refuses { try tree.write("", "\(Self.pci)/reset/nothing") }
        try find().takeAway()
        #expect(tree.text("\(Self.pci)/remove") == "1")
    }

    @Test("if the interface does not come back, the PCI function is removed and the bus scanned")
    func pciRescanned() throws {
        try plugPCI()
        let found = try find()
        try found.takeAway()
        try tree.remove("\(Self.pci)/driver")
        try tree.remove("\(Self.pci)/net")
        let back = try giveBack(found) {
            if tree.text("\(Self.pci)/remove") == "1" { try tree.remove(Self.pci) }
            guard tree.text("\(Self.bus)/rescan") == "1" else { return }
            try plugPCI()
            try tree.give("wlan0", index: 9, of: Self.pci)
        }
        #expect(back.index == 9)
    }

    @Test(
        "an unbinding that the kernel refuses is reported, and so is a device that is gone")
    func pciRefused() throws {
        try plugPCI()
        let found = try find()
        try tree.remove("bus/pci/drivers/iwlwifi/unbind")
        let path = "\(tree.root)/bus/pci/drivers/iwlwifi/unbind"
        #expect(throws: DriverBinding.Problem.refused(SystemError(call: "open", code: ENOENT), path: path)) {
            try found.takeAway()
        }
        #expect(tree.text("\(Self.pci)/reset").isEmpty, "nothing else was done")
        try tree.remove("bus/pci/devices/0000:03:00.0")
        #expect(throws: DriverBinding.Problem.unplugged) { try found.takeAway() }
    }

    @Test("a PCI function with a P2P group or another device below it is not reset")
    func pciShared() throws {
        try plugPCI()
        try tree.give("p2p-wlan0-0", index: 9, of: Self.pci)
        #expect(problem() == .shared(with: "p2p-wlan0-0"))
        try tree.device("\(Self.pci)/usb3", on: "usb", driver: nil)
        #expect(problem() == .shared(with: "usb3"))
    }

    // MARK: SDIO

    private static let host = "devices/platform/3f300000.mmcnr"
    private static let card = "\(host)/mmc_host/mmc1/mmc1:0001"

    private func plugSDIO() throws {
        try tree.device(Self.host, on: "platform", driver: "mmc-bcm2835")
        try tree.device("\(Self.host)/mmc_host/mmc1", on: nil, driver: nil)
        try tree.link("class/mmc_host", from: "\(Self.host)/mmc_host/mmc1/subsystem")
        try tree.device(Self.card, on: "mmc", driver: nil)
        for function in 1...2 {
            try tree.device("\(Self.card)/mmc1:0001:\(function)", on: "sdio", driver: "brcmfmac")
        }
        try tree.give("wlan0", index: 3, of: "\(Self.card)/mmc1:0001:1")
    }

    @Test(
        "SDIO functions are unbound from the last to the first, and bound from the first to the last")
    func sdioFirst() throws {
        try plugSDIO()
        let found = try find()
        #expect(
            words(found) == [
                "sdio brcmfmac mmc1:0001:1", "sdio brcmfmac mmc1:0001:2",
                "platform mmc-bcm2835 3f300000.mmcnr",
            ])
        #expect(BusReset(found.bindings) == found)
        try found.takeAway()
        #expect(
            tree.text("bus/sdio/drivers/brcmfmac/unbind") == "mmc1:0001:1", "written over that of function 2")
        try tree.remove("\(Self.card)/mmc1:0001:1/net")
        for function in 1...2 { try tree.remove("\(Self.card)/mmc1:0001:\(function)/driver") }
        let back = try giveBack(found) {
            guard tree.text("bus/sdio/drivers/brcmfmac/bind") == "mmc1:0001:2" else { return }
            try tree.give("wlan0", index: 9, of: "\(Self.card)/mmc1:0001:1")
        }
        #expect(back.index == 9)
        #expect(tree.text("bus/platform/drivers/mmc-bcm2835/unbind").isEmpty)
    }

    @Test("a single SDIO function without its driver is bound again")
    func sdioHalf() throws {
        try plugSDIO()
        let found = try find()
        try tree.remove("\(Self.card)/mmc1:0001:2/driver")
        try found.restore()
        #expect(tree.text("bus/sdio/drivers/brcmfmac/bind") == "mmc1:0001:2")
    }

    @Test("if the interface does not come back, the SDIO host's driver is unbound and bound")
    func sdioHost() throws {
        try plugSDIO()
        let found = try find()
        try tree.remove("\(Self.card)/mmc1:0001:1/net")
        let (unbind, bind) = (
            "bus/platform/drivers/mmc-bcm2835/unbind", "bus/platform/drivers/mmc-bcm2835/bind"
        )
        let back = try giveBack(found) {
            if tree.text(unbind) == "3f300000.mmcnr" { try? tree.remove("\(Self.host)/driver") }
            guard tree.text(bind) == "3f300000.mmcnr" else { return }
            try tree.give("wlan0", index: 9, of: "\(Self.card)/mmc1:0001:1")
        }
        #expect(back.index == 9)
    }

    @Test("an SDIO host that also has a memory card is not reset, and the reason is reported")
    func sdioMemoryCard() throws {
        try plugSDIO()
        try tree.device("\(Self.host)/mmc_host/mmc0/mmc0:b368", on: "mmc", driver: "mmcblk")
        let found = try find()
        #expect(words(found) == ["sdio brcmfmac mmc1:0001:1", "sdio brcmfmac mmc1:0001:2"])
        try tree.remove("\(Self.card)/mmc1:0001:1/net")
        #expect(throws: DriverBinding.Problem.notBackBeside("mmc0:b368")) { _ = try giveBack(found) {} }
        #expect(tree.text("bus/platform/drivers/mmc-bcm2835/unbind").isEmpty)
    }

    @Test("an SDIO card with a mesh point or a Bluetooth radio is not reset")
    func sdioShared() throws {
        try plugSDIO()
        try tree.give("mesh0", index: 9, of: "\(Self.card)/mmc1:0001:1")
        #expect(problem() == .shared(with: "mesh0"))
        try tree.device("\(Self.card)/mmc1:0001:3", on: "sdio", driver: "btsdio")
        #expect(problem() == .shared(with: "btsdio"))
    }

    // MARK: Any bus

    @Test("a device on a bus other than USB, PCI and SDIO is not reset")
    func otherBus() throws {
        try tree.device("devices/pci0000:00/0000:00:04.0/virtio1", on: "virtio", driver: "virtio_net")
        try tree.give("wlan0", index: 2, of: "devices/pci0000:00/0000:00:04.0/virtio1")
        #expect(problem() == .unavailable("device on USB, PCI or SDIO"))
    }

    @Test("a symbolic link that leads out of the devices' directory is not written through")
    func symbolicLinks() throws {
        try plugUSB()
        let found = try find()
        try tree.write("1\n", "outside/authorized")
        try tree.remove("bus/usb/devices/1-1.4")
        try tree.link("outside", from: "bus/usb/devices/1-1.4")
        let path = "\(tree.root)/bus/usb/devices/1-1.4/authorized"
        #expect(throws: DriverBinding.Problem.refused(SystemError(call: "open", code: EPERM), path: path)) {
            try found.takeAway()
        }
        try tree.remove("bus/usb/devices/1-1.4")
        try tree.link(Self.usb, from: "bus/usb/devices/1-1.4")
        try tree.remove("\(Self.usb)/authorized")
        try tree.link("outside/authorized", from: "\(Self.usb)/authorized")
        #expect(throws: DriverBinding.Problem.refused(SystemError(call: "open", code: ELOOP), path: path)) {
            try found.takeAway()
        }
        #expect(tree.text("outside/authorized") == "1\n")
    }

    @Test(
        "files opened with privilege can restore the device after the privilege is given up",
        .enabled(if: geteuid() == 0))
    func opened() throws {
        try plugUSB()
        let found = try find()
        let opened = found.opened()
        try found.takeAway()
        let file = "\(tree.root)/\(Self.usb)/authorized"
        #expect(chmod(file, 0o444) == 0 && chmod(tree.root, 0o755) == 0)
        let path = "\(tree.root)/bus/usb/devices/1-1.4/authorized"
        withRightsOfNobody {
            let refusal = DriverBinding.Problem.refused(SystemError(call: "open", code: EACCES), path: path)
            #expect(throws: refusal) { try found.restore() }
            #expect(throws: Never.self) { try opened.restore() }
        }
        #expect(tree.text("\(Self.usb)/authorized") == "1\n")
    }
}
