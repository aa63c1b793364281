import TestSupport
import Testing

@testable import Recovery

@Suite("Other interfaces with a default route") struct UplinksTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Adds an interface, as /sys shows it.
    private func interface(_ name: String, type: Int = 1, carrier: Int? = 1, files: [String] = []) throws {
        let place = "sys/class/net/\(name)"
        try scratch.write("\(type)\n", to: "\(place)/type")
        if let carrier { try scratch.write("\(carrier)\n", to: "\(place)/carrier") }
        for file in files { try scratch.write("", to: "\(place)/\(file)") }
    }

    /// - Parameter names: the interfaces that have a default route.
    private func found(_ names: String...) -> String? {
        Uplinks(root: scratch.path).other(than: "wlan0", among: names)
    }

    @Test("the interface itself is no other uplink, and a wired interface with a carrier is one")
    func wire() throws {
        try interface("wlan0", files: ["device"])
        try interface("eth0", files: ["device"])
        #expect(found() == nil)
        #expect(found("wlan0") == nil)
        #expect(found("wlan0", "eth0") == "eth0")
        for carrier in [0, nil] {
            try scratch.write(carrier.map { "\($0)\n" } ?? "", to: "sys/class/net/eth0/carrier")
            #expect(found("wlan0", "eth0") == nil)
        }
    }

    @Test(
        "a modem and PPP are uplinks; tunnels, which need another interface, are not",
        arguments: [
            ("wwan0", 65534, ["device"], true), ("ppp0", 512, [], true), ("wg0", 65534, [], false),
            ("tun0", 65534, ["tun_flags"], false), ("tap0", 1, ["tun_flags"], false),
            ("sit1", 776, [], false),
        ] as [(String, Int, [String], Bool)])
    func tunnels(name: String, type: Int, files: [String], leadsOut: Bool) throws {
        try interface(name, type: type, files: files)
        #expect(found(name) == (leadsOut ? name : nil))
    }

    @Test("a bond is an uplink if a port other than the interface itself has a carrier")
    func bond() throws {
        try interface("wlan0", files: ["device"])
        try interface("bond0", files: ["lower_wlan0"])
        #expect(found("bond0") == nil)
        try scratch.write("", to: "sys/class/net/bond0/lower_eth0")
        #expect(found("bond0") == nil, "there is no such interface")
        try interface("eth0", carrier: 0, files: ["device"])
        #expect(found("bond0") == nil)
        try interface("eth0", files: ["device"])
        #expect(found("bond0") == "bond0")
    }

    @Test("the search ends even in a circle of interfaces, which no kernel builds")
    func circle() throws {
        try interface("a", files: ["lower_b"])
        try interface("b", files: ["lower_a"])
        #expect(found("a") == nil)
    }
}
