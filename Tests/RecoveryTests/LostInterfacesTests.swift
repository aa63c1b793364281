import Model
import TestSupport
import Testing

@testable import Recovery

@Suite("A device that has lost its interface") @MainActor
final class LostInterfacesTests {
    private static let index = InterfaceIndex(rawValue: 7)
    private static let usb = "devices/usb1/1-1/1-1.4"
    private static let pci = "devices/pci0000:00/0000:00:1c.0/0000:03:00.0"
    private static let bus = "devices/pci0000:00/0000:00:1c.0/pci_bus/0000:03"
    private static let host = "devices/platform/mmc"
    private static let card = "\(host)/mmc_host/mmc1/mmc1:0001"

    private let tree: SysfsTree
    private let interfaces: LostInterfaces

    init() throws {
        tree = try SysfsTree()
        interfaces = LostInterfaces(sysfs: tree.root)
    }

    private func plugPCI() throws {
        try tree.device(Self.pci, on: "pci", driver: "iwlwifi")
        for file in ["reset", "remove"] { try tree.write("", "\(Self.pci)/\(file)") }
        try tree.write("(null)\n", "\(Self.pci)/driver_override")
        try tree.write("", "\(Self.bus)/rescan")
        try tree.link(Self.bus, from: "class/pci_bus/0000:03")
        try give(Self.pci)
    }

    private func plugUSB() throws {
        try tree.device("\(Self.usb)/1-1.4:1.0", on: "usb", driver: "mt76x2u")
        try tree.device(Self.usb, on: "usb", driver: "usb")
        try tree.write("1\n", "\(Self.usb)/authorized")
        try give("\(Self.usb)/1-1.4:1.0")
    }

    private func give(_ device: String) throws {
        try tree.give("wlan0", index: 7, of: device)
        try tree.link("class/ieee80211", from: "\(device)/ieee80211/phy0/subsystem")
    }

    private static func state(
        isUp: Bool = true, role: Wireless.Role = .station, index: InterfaceIndex = index
    ) -> KernelState {
        KernelState(
            link: Link(
                index: index, name: "wlan0", isUp: isUp, hasCarrier: isUp,
                operationalState: isUp ? .up : .down),
            wireless: Wireless(role: role, phy: 0))
    }

    /// Removes the interface and its radio.
    private func lose(_ device: String) throws {
        try tree.remove("\(device)/net")
        try tree.remove("\(device)/ieee80211")
        try tree.remove("class/net/wlan0")
    }

    private func loss(if isPermitted: (BusReset) -> Bool = \.isPermitted) -> RadioCondition? {
        interfaces.loss(of: Self.index, if: isPermitted)?.state.radioCondition
    }

    @Test("a device may lose its interface while its driver is bound, or has released it")
    func bound() throws {
        try plugPCI()
        interfaces.note(Self.state())
        #expect(loss() == nil, "it is there")
        #expect(try BusReset.of("wlan0", sysfs: tree.root).ofLoss == nil)
        try tree.remove("\(Self.pci)/net")
        #expect(loss() == nil, "a user has deleted the interface: the radio is there")
        try tree.remove("\(Self.pci)/ieee80211")
        #expect(loss() == .lostInterface(.bound))
        try tree.remove("\(Self.pci)/driver")
        #expect(loss() == .lostInterface(.unbound))
        let found = try #require(interfaces.loss(of: Self.index) { _ in true })
        #expect(found.state.link == Self.state().link)
        try #require(found.reset.ofLoss).takeAway()
        #expect(tree.text("bus/pci/drivers/iwlwifi/unbind").isEmpty, "no driver is bound")
        #expect(tree.text("\(Self.pci)/reset") == "1")
        try found.reset.restore()
        #expect(tree.text("bus/pci/drivers/iwlwifi/bind") == "0000:03:00.0")
    }

    @Test("an interface that is still there is not lost, even without a radio of its own")
    func withoutRadio() throws {
        try plugPCI()
        interfaces.note(Self.state())
        try tree.remove("\(Self.pci)/ieee80211")
        #expect(loss() == nil)
        try tree.remove("\(Self.pci)/net")
        #expect(loss() == .lostInterface(.bound))
    }

    @Test("a radio in another network namespace, which only its rfkill switch shows, is not lost")
    func otherNamespace() throws {
        try plugPCI()
        interfaces.note(Self.state())
        try lose(Self.pci)
        try tree.link("\(Self.pci)/ieee80211/phy0/rfkill1", from: "class/rfkill/rfkill1")
        #expect(loss() == nil)
        try tree.link("\(Self.pci)1/ieee80211/phy0/rfkill1", from: "class/rfkill/rfkill1")
        #expect(loss() == .lostInterface(.bound), "another device")
        try tree.link("\(Self.pci)/bluetooth/hci0/rfkill1", from: "class/rfkill/rfkill1")
        #expect(loss() == .lostInterface(.bound), "no radio of nl80211")
    }

    @Test("an interface that has come back with another index is remembered under this index alone")
    func otherIndex() throws {
        try plugPCI()
        interfaces.note(Self.state())
        let other = InterfaceIndex(rawValue: 8)
        interfaces.note(Self.state(index: other))
        try lose(Self.pci)
        #expect(loss() == nil)
        #expect(interfaces.loss(of: other) { _ in true }?.state.link.index == other)
    }

    @Test("an interface counts as lost even if its device keeps empty directories net and ieee80211")
    func emptyClasses() throws {
        try plugPCI()
        interfaces.note(Self.state())
        try tree.remove("\(Self.pci)/net/wlan0")
        try tree.remove("\(Self.pci)/ieee80211/phy0")
        #expect(loss() == .lostInterface(.bound))
    }

    @Test(
        "a rescan seeks a PCI function that left its bus; without the bus, the function counts as unplugged")
    func removed() throws {
        try plugPCI()
        interfaces.note(Self.state())
        try lose(Self.pci)
        try tree.remove("bus/pci/devices/0000:03:00.0")
        try tree.remove(Self.pci)
        #expect(loss() == .lostInterface(.removed))
        let found = try #require(interfaces.loss(of: Self.index) { _ in true })
        #expect(throws: DriverBinding.Problem.unplugged) { try found.reset.takeAway() }
        let reset = try #require(found.reset.ofLoss)
        #expect(reset.isAway)
        try reset.takeAway()
        #expect(tree.text("\(Self.bus)/rescan").isEmpty)
        try reset.restore()
        #expect(tree.text("\(Self.bus)/rescan") == "1")
        try tree.remove(Self.bus)
        #expect(loss() == nil)
    }

    @Test("a USB device that is still plugged in has lost its interface; an unplugged one has not")
    func usb() throws {
        try plugUSB()
        interfaces.note(Self.state())
        try lose("\(Self.usb)/1-1.4:1.0")
        #expect(loss() == .lostInterface(.bound))
        let reset = try #require(interfaces.loss(of: Self.index) { _ in true }?.reset.ofLoss)
        try reset.takeAway()
        #expect(tree.text("\(Self.usb)/authorized") == "0\n")
        try reset.restore()
        #expect(tree.text("\(Self.usb)/authorized") == "1\n")
        // The kernel removes these too if a user deauthorizes the device: that is no lost interface.
        try tree.remove("bus/usb/devices/1-1.4:1.0")
        try tree.remove("\(Self.usb)/1-1.4:1.0")
        #expect(loss() == nil)
    }

    @Test("an SDIO card has lost its interface only if none of its functions has a radio")
    func sdio() throws {
        for function in 1...2 {
            try tree.device("\(Self.card)/mmc1:0001:\(function)", on: "sdio", driver: "brcmfmac")
        }
        try give("\(Self.card)/mmc1:0001:1")
        interfaces.note(Self.state())
        try lose("\(Self.card)/mmc1:0001:1")
        #expect(loss() == .lostInterface(.bound))
        try tree.write("", "\(Self.card)/mmc1:0001:2/ieee80211/phy1/index")
        #expect(loss() == nil)
    }

    /// A host controller with an SDIO card that has two functions, and its device tree.
    private func insertCard() throws {
        try tree.device(Self.host, on: "platform", driver: "mmc-bcm2835")
        for function in 1...2 {
            try tree.device("\(Self.card)/mmc1:0001:\(function)", on: "sdio", driver: "brcmfmac")
        }
        try give("\(Self.card)/mmc1:0001:1")
        try tree.write("", "firmware/mmcnr/non-removable")
        try tree.link("firmware/mmcnr", from: "\(Self.host)/of_node")
        interfaces.note(Self.state())
    }

    private func removeCard() throws {
        try tree.remove(Self.card)
        for function in 1...2 { try tree.remove("bus/sdio/devices/mmc1:0001:\(function)") }
    }

    @Test("an SDIO card that cannot be unplugged and is gone is sought by binding its host again")
    func removedCard() throws {
        try insertCard()
        try removeCard()
        #expect(loss() == .lostInterface(.removed))
        let found = try #require(interfaces.loss(of: Self.index) { _ in true })
        let reset = try #require(found.reset.ofLoss)
        #expect(reset.isAway)
        try reset.takeAway()
        #expect(tree.text("bus/platform/drivers/mmc-bcm2835/unbind").isEmpty)
        #expect(throws: DriverBinding.Problem.unplugged) {
            try reset.giveBack(named: "wlan0", within: .zero) { _ in false }
        }
        #expect(tree.text("bus/platform/drivers/mmc-bcm2835/unbind") == "mmc")

        // A host whose driver was unbound, and has failed to start it, is only bound.
        try tree.remove("\(Self.host)/driver")
        #expect(loss() == .lostInterface(.removed))
        try reset.restore()
        #expect(tree.text("bus/platform/drivers/mmc-bcm2835/bind") == "mmc")
    }

    @Test("an SDIO card that could be unplugged, was replaced, or shared its host is not sought")
    func unpluggedCard() throws {
        try insertCard()
        try removeCard()
        try tree.write("", "\(Self.host)/mmc_host/mmc1/mmc1:0002/uevent")
        #expect(loss() == nil)
        try tree.remove("\(Self.host)/mmc_host/mmc1/mmc1:0002")
        #expect(loss() == .lostInterface(.removed))
        try tree.remove("firmware/mmcnr/non-removable")
        #expect(loss() == nil)

        try insertCard()
        try tree.device("\(Self.host)/mmc_host/mmc2/mmc2:0001", on: "mmc", driver: "mmcblk")
        interfaces.note(Self.state(index: InterfaceIndex(rawValue: 8)))
        try removeCard()
        #expect(interfaces.loss(of: InterfaceIndex(rawValue: 8)) { _ in true } == nil)
    }

    @Test("if the driver is gone, or another driver is set, a user wanted that: no interface is lost")
    func userWishes() throws {
        try plugPCI()
        interfaces.note(Self.state())
        try lose(Self.pci)
        try tree.remove("\(Self.pci)/driver")
        #expect(loss() == .lostInterface(.unbound))
        try tree.write("vfio-pci\n", "\(Self.pci)/driver_override")
        #expect(loss() == nil)
        try tree.write("iwlwifi\n", "\(Self.pci)/driver_override")
        #expect(loss() == .lostInterface(.unbound))
        try tree.device(Self.pci, on: "pci", driver: "vfio-pci")
        #expect(loss() == nil)
        try tree.remove("\(Self.pci)/driver")
        try tree.remove("bus/pci/drivers/iwlwifi")
        #expect(loss { _ in true } == nil)
    }

    @Test("another device below it, a rule for the driver, or a missing file prevents the reset")
    func forbidden() throws {
        try plugPCI()
        interfaces.note(Self.state())
        try lose(Self.pci)
        #expect(loss { $0.driverName != DriverName("iwlwifi", on: "pci") } == nil)
        try tree.device("\(Self.pci)/usb3", on: "usb", driver: nil)
        #expect(loss() == nil)
        try tree.remove("\(Self.pci)/usb3")
        #expect(loss() == .lostInterface(.bound))
        try tree.remove("bus/pci/drivers/iwlwifi/bind")
        #expect(loss() == nil)
    }

    @Test("only a station that was up is remembered, with the state that it had then")
    func remembered() throws {
        try plugPCI()
        interfaces.note(Self.state(isUp: false))
        interfaces.note(Self.state(role: .accessPoint))
        let other = InterfaceIndex(rawValue: 8)
        try lose(Self.pci)
        #expect(loss() == nil)
        #expect(interfaces.loss(of: other) { _ in true } == nil)

        try plugPCI()
        interfaces.note(Self.state())
        var last = Self.state()
        last.gateways = [Gateway(address: .v4(0x0a4d_0001))]
        interfaces.note(last)
        interfaces.note(Self.state(isUp: false))
        try lose(Self.pci)
        let state = try #require(interfaces.loss(of: Self.index) { _ in true }?.state)
        #expect(state.link.isUp && state.gateways == last.gateways)
    }
}
