import Testing

@testable import Model
@testable import Toggling

@Suite("What distinguishes one network from another") struct NetworkTests {
    private static let router = MACAddress([2, 0, 0, 0, 0, 1])!
    private static let otherRouter = MACAddress([2, 0, 0, 0, 0, 2])!
    private static let family = BSSIDFamily(MACAddress([0x00, 0x10, 0x5e, 1, 2, 3])!)
    private static let otherFamily = BSSIDFamily(MACAddress([0x00, 0x20, 0x5e, 1, 2, 3])!)

    private static func network(_ family: BSSIDFamily?, _ router: MACAddress?, hasRouter: Bool = true)
        -> Network
    {
        let routers = [Network.Router(address: Sample.gateway, macAddress: router)]
        return Network(ssid: SSID("lab".utf8), family: family, routers: hasRouter ? routers : [])
    }

    @Test("BSSIDs that an access point derives from one base address belong to one family")
    func family() throws {
        let derived = try #require(MACAddress([0x02, 0x10, 0x5e, 9, 9, 9]))
        #expect(BSSIDFamily(derived) == Self.family)
        #expect(BSSIDFamily(canonical: Self.family.description) == Self.family)
        for text in ["", "00105", "00105e00", "02105e", "00105E", "00105é"] {
            #expect(BSSIDFamily(canonical: text) == nil, "\(text)")
        }
    }

    @Test("access points in front of one gateway are one network")
    func roaming() {
        let here = Self.network(Self.family, Self.router)
        let there = Self.network(Self.otherFamily, Self.router)
        #expect(here.mayBe(there) && !here.isOther(than: there))
    }

    @Test("if the gateways are not known, the BSSID family distinguishes networks", arguments: [true, false])
    func unknownGateway(hasRouter: Bool) {
        let here = Self.network(Self.family, nil, hasRouter: hasRouter)
        let there = Self.network(Self.otherFamily, Self.router, hasRouter: hasRouter)
        #expect(!here.mayBe(there) && here.isOther(than: there))
        let same = Self.network(Self.family, Self.router, hasRouter: hasRouter)
        #expect(here.mayBe(same) && !here.isOther(than: same))
        let unknown = Self.network(nil, Self.router, hasRouter: hasRouter)
        #expect(here.mayBe(unknown) && !here.isOther(than: unknown))
    }

    @Test("another gateway means another network, even with the same BSSID family")
    func otherGateway() {
        let here = Self.network(Self.family, Self.router)
        let there = Self.network(Self.family, Self.otherRouter)
        #expect(!here.mayBe(there) && here.isOther(than: there))
    }

    @Test("if a gateway of the other address family comes or goes, the network is still the same")
    func routerOfOneFamily() {
        let ipv6 = Network.Router(address: Sample.otherGateway, macAddress: Self.router)
        let ipv4 = Network.Router(address: Sample.gateway, macAddress: Self.router)
        let unknown = Network.Router(address: Sample.gateway, macAddress: nil)
        let changed = Network.Router(address: Sample.gateway, macAddress: Self.otherRouter)
        func network(_ routers: Network.Router...) -> Network {
            Network(ssid: SSID("lab".utf8), family: Self.family, routers: routers)
        }
        #expect(!network(ipv6).isOther(than: network(ipv4, ipv6)))
        #expect(!network(ipv4, ipv6).isOther(than: network(ipv6)))
        #expect(!network(ipv6, unknown).isOther(than: network(ipv4, ipv6)))
        #expect(network(ipv6, changed).isOther(than: network(ipv4, ipv6)))
        // If the two have no known hardware address in common, they count as different networks.
        #expect(network(unknown).isOther(than: network(ipv4, ipv6)))
    }
}
