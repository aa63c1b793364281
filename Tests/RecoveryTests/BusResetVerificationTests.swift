import Model
import TestSupport
import Testing

@testable import Recovery

/// Root resets the device that another process names only if the kernel says that it is a Wi-Fi device without an
/// interface.
@Suite("A device without an interface, named by a process without rights")
final class BusResetVerificationTests {
    private static let pci = "devices/pci0000:00/0000:00:1c.0/0000:03:00.0"
    private static let bus = "devices/pci0000:00/0000:00:1c.0/pci_bus/0000:03"
    private static let usb = "devices/usb1/1-1/1-1.4"
    private static let host = "devices/platform/mmc"
    private static let card = "\(host)/mmc_host/mmc1/mmc1:0001"

    private let tree: SysfsTree

    init() throws {
        tree = try SysfsTree()
        // iwlwifi depends on cfg80211 directly, mt76x2u through two other modules, and ahci and uas do not.
        for (module, holders) in [
            ("cfg80211", ["iwlwifi", "mac80211", "brcmfmac"]), ("mac80211", ["mt76"]), ("mt76", ["mt76x2u"]),
            ("iwlwifi", ["iwlmvm"]), ("iwlmvm", []), ("mt76x2u", []), ("brcmfmac", []), ("libahci", ["ahci"]),
            ("ahci", []), ("uas", []), ("sdhci", []),
        ] {
            try tree.write("", "module/\(module)/refcnt")
            for holder in holders {
                try tree.link("module/\(holder)", from: "module/\(module)/holders/\(holder)")
            }
        }
        try tree.device(Self.pci, on: "pci", driver: "iwlwifi")
        for file in ["reset", "remove"] { try tree.write("", "\(Self.pci)/\(file)") }
        try tree.write("(null)\n", "\(Self.pci)/driver_override")
        try tree.write("", "\(Self.bus)/rescan")
        try tree.link(Self.bus, from: "class/pci_bus/0000:03")
        try tree.device("devices/0000:05:00.0", on: "pci", driver: "ahci")
        try tree.device("\(Self.usb)/1-1.4:1.0", on: "usb", driver: "mt76x2u")
        try tree.device(Self.usb, on: "usb", driver: "usb")
        try tree.write("1\n", "\(Self.usb)/authorized")
        for (bus, driver) in [("pci", "iwlwifi"), ("pci", "ahci"), ("usb", "mt76x2u"), ("sdio", "brcmfmac")] {
            try tree.link("module/\(driver)", from: "bus/\(bus)/drivers/\(driver)/module")
        }
    }

    private func reset(_ bindings: (String, String, String)...) throws -> BusReset {
        try #require(
            BusReset(
                bindings.compactMap { DriverBinding(bus: $0, driver: $1, device: $2, sysfs: tree.root) }))
    }

    private var wifi: BusReset { get throws { try reset(("pci", "iwlwifi", "0000:03:00.0")) } }
    private var stick: BusReset { get throws { try reset(("usb", "mt76x2u", "1-1.4:1.0")) } }

    /// Why the reset is refused; nil: it is permitted.
    private func refusal(_ reset: BusReset, _ drivers: DriverTable = DriverTable()) -> String? {
        do throws(Failure) {
            _ = try reset.verified(by: drivers)
            return nil
        } catch {
            #expect(error.kind == .unavailable)
            return error.description
        }
    }

    @Test("a device whose driver module depends on cfg80211, directly or not, is reset")
    func permitted() throws {
        #expect(try refusal(wifi) == nil)
        #expect(try refusal(stick) == nil)
        #expect(try wifi.verified(by: DriverTable()).loss == .bound)
    }

    @Test("a driver whose module does not depend on cfg80211, or that has no module, is refused")
    func otherDrivers() throws {
        let words = "is not a module that depends on cfg80211"
        #expect(try refusal(reset(("pci", "ahci", "0000:05:00.0"))) == "the driver ahci on pci \(words)")
        try tree.remove("bus/pci/drivers/iwlwifi/module")
        #expect(try refusal(wifi) == "the driver iwlwifi on pci \(words)")
        // A directory outside /sys/module is no module.
        try tree.write("", "devices/iwlwifi/any")
        try tree.link("devices/iwlwifi", from: "bus/pci/drivers/iwlwifi/module")
        #expect(try refusal(wifi)?.hasSuffix(words) == true)
        try tree.remove("module/mt76/holders")
        #expect(try refusal(stick)?.hasSuffix(words) == true)
    }

    @Test("modules that depend on each other in a circle do not make the search of dependencies endless")
    func circle() throws {
        try tree.link("module/mac80211", from: "module/mt76/holders/mac80211")
        try tree.remove("module/mt76/holders/mt76x2u")
        #expect(try refusal(stick) != nil)
    }

    @Test("a device is refused if it has another driver, has an interface, or does not exist")
    func notLost() throws {
        let words = "has not lost an interface"
        #expect(
            try refusal(reset(("pci", "iwlwifi", "0000:05:00.0")))
                == "the device 0000:05:00.0 of the driver iwlwifi on pci \(words)")
        #expect(try refusal(reset(("usb", "mt76x2u", "1-1.5:1.0")))?.hasSuffix(words) == true)
        try tree.give("wlan0", index: 7, of: Self.pci)
        #expect(try refusal(wifi)?.hasSuffix(words) == true)
        try tree.remove("\(Self.pci)/net/wlan0")
        try tree.write("", "\(Self.pci)/ieee80211/phy0/index")
        #expect(try refusal(wifi)?.hasSuffix(words) == true, "a user has deleted the interface")
        try tree.remove("\(Self.pci)/ieee80211/phy0")
        #expect(try refusal(wifi) == nil)
        try tree.device("\(Self.usb)/1-1.4:1.1", on: "usb", driver: "uas")
        #expect(try refusal(stick)?.hasSuffix(words) == true, "something else is on the device")
    }

    @Test("a rule about the driver can forbid the reset")
    func rule() throws {
        var rule = DriverRule(DriverName("iwlwifi", on: "pci"), file: "drivers.conf", line: 3)
        rule.forbidden = [.reset]
        let table = DriverTable(installed: [rule])
        #expect(try refusal(wifi, table) == "drivers.conf:3 forbids it for the driver iwlwifi on pci")
        #expect(try refusal(stick, table) == nil)
    }

    @Test("a PCI function that is gone is looked for only if its driver has no other device")
    func removed() throws {
        let named = try wifi
        try tree.remove("bus/pci/devices/0000:03:00.0")
        try tree.remove(Self.pci)
        #expect(try named.verified(by: DriverTable()).loss == .removed)
        try tree.device("devices/0000:06:00.0", on: "pci", driver: "iwlwifi")
        #expect(
            refusal(named)
                == "the function 0000:03:00.0 is gone, and its driver iwlwifi on pci has another device")
    }

    @Test("a device that its driver has released is bound, not reset, even if the bind file cannot be opened")
    func released() throws {
        try tree.remove("\(Self.pci)/driver")
        let reset = try wifi.verified(by: DriverTable())
        #expect(reset.loss == .unbound)
        try reset.takeAway()
        #expect(tree.text("bus/pci/drivers/iwlwifi/bind") == "0000:03:00.0")
        #expect(tree.text("\(Self.pci)/reset").isEmpty)
        // If the file cannot be opened, the kernel has not refused the driver: the device is not reset.
        try tree.remove("bus/pci/drivers/iwlwifi/bind")
        try tree.write("", "bus/pci/drivers/iwlwifi/bind/any")
        #expect(throws: DriverBinding.Problem.self) { try reset.takeAway() }
        #expect(tree.text("\(Self.pci)/reset").isEmpty)
    }

    @Test("a device that is still bound to its driver is reset as usual")
    func bound() throws {
        try wifi.verified(by: DriverTable()).takeAway()
        #expect(tree.text("bus/pci/drivers/iwlwifi/unbind") == "0000:03:00.0")
        #expect(tree.text("\(Self.pci)/reset") == "1")
    }

    @Test("of an SDIO card only the named functions are used; the host is read from the kernel")
    func sdio() throws {
        for function in 1...2 {
            try tree.device("\(Self.card)/mmc1:0001:\(function)", on: "sdio", driver: "brcmfmac")
        }
        try tree.device(Self.host, on: "platform", driver: "sdhci")
        try tree.device("devices/platform/root-disk", on: "platform", driver: "sdhci")
        try tree.remove("\(Self.card)/mmc1:0001:2/driver")
        let named = try reset(
            ("sdio", "brcmfmac", "mmc1:0001:1"), ("sdio", "brcmfmac", "mmc1:0001:2"),
            ("platform", "sdhci", "root-disk"))
        let found = try named.verified(by: DriverTable())
        #expect(found.bindings.map(\.device) == ["mmc1:0001:1", "mmc1:0001:2", "mmc"])
        // A function that nobody names stays without a driver.
        let one = try reset(("sdio", "brcmfmac", "mmc1:0001:1")).verified(by: DriverTable())
        #expect(one.bindings.map(\.device) == ["mmc1:0001:1", "mmc"])
    }

    @Test("a missing SDIO card is looked for only at a host controller that has lost a soldered card")
    func removedCard() throws {
        try tree.device("bus/sdio/any", on: "sdio", driver: "brcmfmac")
        try tree.remove("bus/sdio/devices/any")
        for host in [Self.host, "devices/platform/root-disk"] {
            try tree.device(host, on: "platform", driver: "sdhci")
            try tree.write("", "\(host)/of_node/non-removable")
        }
        try tree.write("", "devices/platform/root-disk/mmc_host/mmc0/mmc0:0001/uevent")
        func named(_ host: String) throws -> BusReset {
            try reset(
                ("sdio", "brcmfmac", "mmc1:0001:1"), ("sdio", "uas", "mmc1:0001:2"),
                ("platform", "sdhci", host))
        }
        let found = try named("mmc").verified(by: DriverTable())
        #expect(found.bindings.map(\.device) == ["mmc1:0001:1", "mmc"])
        let words = "the device mmc1:0001:1 of the driver brcmfmac on sdio has not lost an interface"
        #expect(try refusal(named("root-disk")) == words, "it has a card")
        #expect(try refusal(named("other")) == words)
        try tree.remove("\(Self.host)/driver")
        #expect(try refusal(named("mmc")) == words, "a user has unbound the host")
        try tree.device(Self.host, on: "platform", driver: "sdhci")
        try tree.device("devices/other/mmc2:0001:1", on: "sdio", driver: "brcmfmac")
        #expect(try refusal(named("mmc"))?.contains("has another device") == true)
        try tree.remove("\(Self.host)/of_node/non-removable")
        #expect(try refusal(named("mmc")) == words)
    }
}
