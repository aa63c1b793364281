import Testing

@testable import Model

@Suite("The services of an owner")
struct OwnerServiceTests {
    @Test(
        "interface names are escaped in unit names",
        arguments: [("wlan0", "wlan0"), ("wl-a", #"wl\x2da"#), ("a/b", #"a\x2fb"#)])
    func escaped(interface: String, instance: String) {
        #expect(Owner.dhcpcd.units(for: interface) == ["dhcpcd@\(instance).service", "dhcpcd.service"])
    }

    @Test("netplan's unit of wpa_supplicant is one of its units, and serves one interface alone")
    func netplan() {
        #expect(Owner.supplicant.units(for: "wl-a").contains(#"netplan-wpa-wl\x2da.service"#))
        #expect(Owner.isOfOneInterface(unit: #"netplan-wpa-wl\x2da.service"#))
        #expect(Owner.isOfOneInterface(unit: "wpa_supplicant@wlan0.service"))
        #expect(!Owner.isOfOneInterface(unit: "wpa_supplicant.service"))
    }

    @Test(
        "an interface name with special characters is not used in a service name",
        arguments: ["..", "a/b", "a b", "é"])
    func plain(interface: String) {
        #expect(Owner.dhcpcd.services(for: interface) == ["dhcpcd"])
        #expect(Owner.dhcpcd.services(for: "wl-0") == ["dhcpcd.wl-0", "dhcpcd-wl-0", "dhcpcd"])
    }
}
