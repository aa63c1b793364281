import CNetlink
import Model
import Testing

@testable import Netlink

@Suite("Routes that are restored after a bounce") struct SavedRouteTests {
    /// A multipath route as the kernel reports it while the link has no carrier.
    private static let linkDown: [UInt8] = [
        0x02, 0x18, 0x00, 0x00,  // rtm_family AF_INET, rtm_dst_len 24, rtm_src_len, rtm_tos
        0xfe, 0x04, 0x00, 0x01,  // rtm_table main, rtm_protocol static, rtm_scope universe, rtm_type unicast
        0x15, 0x00, 0x00, 0x00,  // rtm_flags DEAD, ONLINK, LINKDOWN
        0x08, 0x00, 0x01, 0x00,  // nla_len 8, RTA_DST
        0xcb, 0x00, 0x71, 0x00,  // 203.0.113.0
        0x14, 0x00, 0x09, 0x00,  // nla_len 20, RTA_MULTIPATH
        0x10, 0x00, 0x15, 0x00,  // rtnh_len 16, rtnh_flags DEAD, ONLINK, LINKDOWN, rtnh_hops
        0x03, 0x00, 0x00, 0x00,  // rtnh_ifindex 3
        0x08, 0x00, 0x05, 0x00,  // nla_len 8, RTA_GATEWAY
        0x0a, 0x4d, 0x00, 0x01,  // 10.77.0.1
    ]

    private static let names = InterfaceNames(known: [InterfaceIndex(rawValue: 3): "wlan0"])

    @Test("a route is restored without its state flags, which the kernel reports but does not accept")
    func flags() throws {
        let route = try #require(SavedRoute(Self.linkDown[...]))
        let order = route.request
        #expect(order.header[8] == UInt8(RTNH_F_ONLINK), "rtm_flags")
        let hops = try #require(order.attributes.first { $0.type == Int32(RTA_MULTIPATH.rawValue) })
        #expect(hops.payload[2] == UInt8(RTNH_F_ONLINK), "rtnh_flags")
        #expect(order.flags & (NLM_F_CREATE | NLM_F_EXCL) == NLM_F_CREATE | NLM_F_EXCL)
    }

    @Test("a route is described in the syntax of ip-route")
    func words() throws {
        let route = try #require(SavedRoute(Self.linkDown[...]))
        let words = "203.0.113.0/24 proto static nexthop via 10.77.0.1 dev wlan0 weight 1 onlink"
        #expect(route.description(Self.names) == words)
        let boot = try #require(SavedRoute(Samples.defaultRoute[...]))
        #expect(boot.description(Self.names).hasPrefix("default via "))
    }

    @Test(
        "only routes of protocol boot and static are an administrator's",
        arguments: [(RTPROT_BOOT, true), (RTPROT_STATIC, true), (RTPROT_DHCP, false), (RTPROT_RA, false)])
    func protocols(number: Int32, isAdministrators: Bool) throws {
        var bytes = Self.linkDown
        bytes[5] = UInt8(number)
        #expect(try #require(SavedRoute(bytes[...])).isAdministrators == isAdministrators)
    }

    private func defaultRoute(metric: UInt32) throws -> SavedRoute {
        var bytes = Samples.defaultRoute
        let priority = try #require(
            bytes.indices.first { bytes[$0...].starts(with: [8, 0, UInt8(RTA_PRIORITY.rawValue), 0]) })
        bytes.replaceSubrange(priority + 4..<priority + 8, with: Array(of: metric))
        return try #require(SavedRoute(bytes[...]))
    }

    @Test(
        "a default route counts as present if its metric is the same, or differs by an owner's penalty",
        arguments: [
            (20_600, 600, true), (600, 20_600, true), (0, 20_000, true), (600, 601, false),
            (600, 40_600, false), (2_003_003, 3003, true), (3003, 2_003_003, true), (3003, 4_003_003, false),
        ] as [(UInt32, UInt32, Bool)])
    func reweighed(before: UInt32, now: UInt32, isThere: Bool) throws {
        let (lost, there) = (try defaultRoute(metric: before), try defaultRoute(metric: now))
        func order(before: [SavedRoute]) -> Request? {
            lost.order(Comparison(before: Inventory(routes: before), now: Inventory(routes: [there])))
        }
        #expect((order(before: [lost]) == nil) == isThere)
        #expect(order(before: [lost, there]) != nil, "of two that were there one is missing")
    }

    @Test("another route counts as present only if its metric is the same, or differs by dhcpcd's 2,000,000")
    func reweighedSubnet() throws {
        func route(metric: UInt32) throws -> SavedRoute {
            let priority = [8, 0, UInt8(RTA_PRIORITY.rawValue), 0] + Array(of: metric)
            return try #require(SavedRoute((Self.linkDown + priority)[...]))
        }
        let lost = try route(metric: 2_003_003)
        for metric: UInt32 in [3003, 2_003_003, 3004, 1_983_003] {
            let isThere = [3003, 2_003_003].contains(metric)
            let now = Inventory(routes: [try route(metric: metric)])
            let order = lost.order(Comparison(before: Inventory(routes: [lost]), now: now))
            #expect((order == nil) == isThere)
        }
    }

    @Test("the kernel's own routes are not saved, because the kernel creates them again")
    func kernelsOwn() {
        var bytes = Self.linkDown
        bytes[5] = UInt8(RTPROT_KERNEL)
        #expect(SavedRoute(bytes[...]) == nil)
    }

    @Test("a route that is cut off anywhere, or has a next hop of any length, does no harm")
    func hostile() {
        for end in Self.linkDown.indices { _ = SavedRoute(Self.linkDown[..<end])?.request }
        for length in UInt8.min...UInt8.max {
            var bytes = Self.linkDown
            bytes[24] = length
            _ = SavedRoute(bytes[...])?.request
        }
    }
}
