import CNetlink
import Model
import Testing

@testable import Netlink

@Suite("Neighbours, nexthop objects and links that are restored after a bounce") struct SavedStateTests {
    private static let names = InterfaceNames(known: [InterfaceIndex(rawValue: 3): "wlan0"])

    private func attribute(_ type: some BinaryInteger, of request: Request) -> [UInt8]? {
        request.attributes.first { $0.type == Int32(type) }?.payload
    }

    @Test("a permanent neighbour is restored without the kernel's counters, and described as by ip-neighbour")
    func neighbour() throws {
        let neighbour = try #require(SavedNeighbour(Samples.permanentNeighbour[...]))
        #expect(neighbour.isAdministrators)
        #expect(attribute(NDA_PROBES, of: neighbour.request) == nil)
        #expect(
            neighbour.description(Self.names)
                == "neighbour 10.77.0.5 dev wlan0 lladdr 02:00:00:00:01:00 PERMANENT")
        var stale = Samples.permanentNeighbour
        stale[8] = UInt8(NUD_STALE)
        #expect(SavedNeighbour(stale[...]) == nil, "the kernel learns it again")
        var learned = Samples.permanentNeighbour
        learned[10] = UInt8(NTF_EXT_LEARNED)
        #expect(try #require(SavedNeighbour(learned[...])).isAdministrators == false)
    }

    @Test("a nexthop object is restored without the scope and state that the kernel reports")
    func nextHop() throws {
        let nextHop = try #require(SavedNextHop(Samples.nextHop[...]))
        #expect(nextHop.request.header == [0x02, 0, 0, 0, 0, 0, 0, 0])
        #expect(nextHop.description(Self.names) == "nexthop id 1 via 10.77.0.1 dev wlan0 proto unspec")
        var zebra = Samples.nextHop
        zebra[2] = UInt8(RTPROT_ZEBRA)
        #expect(try #require(SavedNextHop(zebra[...])).isAdministrators == false)
    }

    @Test("a resilient nexthop group is restored without its unbalanced time")
    func group() throws {
        let group = try #require(SavedNextHop(Samples.resilientGroup[...]))
        #expect(group.description(Self.names) == "nexthop id 3 group 1/2,5 type resilient proto unspec")
        let resilient = attribute(Int32(NHA_RES_GROUP) | NLA_F_NESTED, of: group.request)
        #expect(resilient == [0x06, 0, 0x01, 0, 0x20, 0, 0, 0], "NHA_RES_GROUP_BUCKETS alone")
    }

    @Test("a nexthop group that lost a member is replaced; a group with another member is left alone")
    func cutShort() throws {
        let group = try #require(SavedNextHop(Samples.resilientGroup[...]))
        var bytes = Samples.resilientGroup
        bytes[16] = 12  // NHA_GROUP's nla_len: one member
        bytes.removeSubrange(20..<28)
        let rest = try #require(SavedNextHop(bytes[...]))
        func order(_ left: [SavedNextHop]) -> Int32? {
            let comparison = Comparison(
                before: Inventory(nextHops: [group]), now: Inventory(nextHops: left))
            return group.order(comparison)?.flags
        }
        #expect(rest.members.map(\.id) == [2])
        #expect(try #require(order([rest])) & NLM_F_REPLACE != 0)
        #expect(try #require(order([])) & NLM_F_EXCL != 0)
        #expect(order([group]) == nil)
        bytes[20] = 9  // a member that was not there before
        #expect(order([try #require(SavedNextHop(bytes[...]))]) == nil)
    }

    @Test("the first of two nexthop objects with the same id is kept")
    func objectTwice() throws {
        let group = try #require(SavedNextHop(Samples.resilientGroup[...]))
        var other = Samples.resilientGroup
        other[20] = 9  // the first member's id
        let twice = Inventory(nextHops: [group, try #require(SavedNextHop(other[...]))])
        #expect(twice.limited(to: []).nextHops.map(\.members) == [group.members])
    }

    @Test("a route by a nexthop object is restored without the next hops that the kernel resolved")
    func objectRoute() throws {
        let route = try #require(SavedRoute(Samples.objectRoute[...]))
        #expect(route.request.attributes.map(\.type) == [Int32(RTA_DST.rawValue), Int32(RTA_NH_ID.rawValue)])
        #expect(route.description(Self.names) == "203.0.113.0/24 nhid 3 proto boot")
    }

    @Test("the description of a route with a nexthop object leaves out the route's own next hops")
    func objectAndRow() throws {
        // nla_len, RTA_MULTIPATH, and four bytes, too few for a next hop.
        let row: [UInt8] = [0x08, 0x00, UInt8(RTA_MULTIPATH.rawValue), 0x00, 0xc0, 0x00, 0x02, 0x80]
        var onLink = Samples.objectRoute
        onLink[8] |= UInt8(RTNH_F_ONLINK)
        let alone = try #require(SavedRoute(onLink[...]))
        let both = try #require(SavedRoute((onLink + row)[...]))
        #expect(alone.description(Self.names) == "203.0.113.0/24 nhid 3 proto boot onlink")
        #expect(both.description(Self.names) == alone.description(Self.names))
    }

    @Test("a nexthop object with an unreadable id is ignored, and the route keeps its own gateway")
    func brokenObject() throws {
        // nla_len 7, RTA_NH_ID, and a byte of padding.
        let broken: [UInt8] = [0x07, 0x00, UInt8(RTA_NH_ID.rawValue), 0x00, 0x03, 0x00, 0x00, 0x00]
        let route = try #require(SavedRoute((Samples.defaultRoute + broken)[...]))
        let message = try #require(Message.split(route.item(Self.names, nil).message).first)
        let again = try #require(SavedRoute(message.payload))
        #expect(again.description(Self.names) == route.description(Self.names))
        #expect(again.hasGateway)
    }

    @Test("a route's remaining lifetime is restored in seconds, and is the same after another parse")
    func lifetime() throws {
        let route = try #require(SavedRoute(Samples.expiringRoute[...]))
        let seconds = UInt32((4001 + NeighbourMessage.ticksPerSecond - 1) / NeighbourMessage.ticksPerSecond)
        let ordered = attribute(RTA_EXPIRES.rawValue, of: route.request)
        #expect(ordered == Array(of: seconds))
        #expect(attribute(RTA_CACHEINFO.rawValue, of: route.request) == nil)
        let message = try #require(Message.split(route.item(Self.names, nil).message).first)
        let again = try #require(SavedRoute(message.payload))
        #expect(attribute(RTA_EXPIRES.rawValue, of: again.request) == ordered)
        #expect(again.description(Self.names) == "2001:db8::/32 dev wlan0 proto boot expires \(seconds)")
    }

    @Test("only the missing next hop of an IPv6 route is appended; a route with other next hops stays")
    func siblings() throws {
        var bytes = Samples.multipathRoute
        bytes[0] = UInt8(AF_INET6)
        let route = try #require(SavedRoute(bytes[...]))
        #expect(route.hops.count == 2)
        func order(beside hops: [SavedHop]) -> Request? {
            let objects = hops.map { hop in RouteSample.single(like: bytes, hop) }
            let comparison = Comparison(
                before: Inventory(routes: [route]),
                now: Inventory(routes: objects.compactMap { SavedRoute($0[...]) }))
            return route.order(comparison)
        }
        let appended = try #require(order(beside: [route.hops[0]]))
        #expect(appended.flags & NLM_F_APPEND != 0 && appended.flags & NLM_F_EXCL == 0)
        let multipath = try #require(attribute(RTA_MULTIPATH.rawValue, of: appended))
        #expect(HopMessage.split(multipath[...]).map(\.hop) == [route.hops[1]])
        var stranger = route.hops[0]
        stranger.gateway = [1, 2, 3, 4]
        #expect(order(beside: [stranger]) == nil)
        #expect(order(beside: route.hops) == nil)
        #expect(try #require(order(beside: [])).flags & NLM_F_EXCL != 0)
    }

    @Test("only VLANs go down with the link below them, including VLANs on VLANs")
    func stacked() throws {
        let vlan = try #require(SavedLink(Samples.vlan[...]))
        #expect(vlan.lower == InterfaceIndex(rawValue: 3) && !vlan.isUp && vlan.name == "wlan.7")
        let announced = Samples.vlan + PortSamples.attribute(IFLA_OPERSTATE, [2])
        #expect(LinkMessage.parse(announced[...])?.link?.lower == vlan.lower)
        var upper = Samples.vlan
        upper[4] = 6
        upper[32] = 5  // IFLA_LINK
        let above = try #require(SavedLink(upper[...]))
        let found = SavedLink.stacked(on: InterfaceIndex(rawValue: 3), in: [above, vlan])
        #expect(Set(found.map(\.index.rawValue)) == [5, 6])
        var other = Samples.vlan
        other[44] = 0x6d  // the kind "mlan"
        #expect(try #require(SavedLink(other[...])).lower == nil)
    }

    @Test("power saving is restored if it differs, with the current family number of nl80211")
    func powerSave() throws {
        let index = InterfaceIndex(rawValue: 3)
        let told = try #require(SavedPowerSave(Samples.powerSave[...]))
        let on = SavedPowerSave(isOn: told.isOn, on: index, family: 28)
        var bytes = Samples.powerSave
        bytes[8] = UInt8(NL80211_PS_DISABLED.rawValue)
        let toldOff = try #require(SavedPowerSave(bytes[...]))
        let off = SavedPowerSave(isOn: toldOff.isOn, on: index, family: 31)
        #expect(
            on.description(Self.names) == "power save on" && off.description(Self.names) == "power save off")
        let comparison = Comparison(before: Inventory(powerSave: on), now: Inventory(powerSave: off))
        let order = try #require(on.order(comparison))
        #expect(order.type == 31)
        #expect(attribute(NL80211_ATTR_PS_STATE.rawValue, of: order) == [1, 0, 0, 0])
        #expect(off.order(comparison) == nil)
    }

    @Test("a route with more next hops than fit into a page is encoded")
    func longRow() throws {
        let row = Array(repeating: Array(Samples.multipathRoute[24..<40]), count: 500).flatMap(\.self)
        let request = Request(
            RTM_NEWROUTE, header: rtmsg(), attributes: [Request.Attribute(RTA_MULTIPATH, row)])
        #expect((request.bytes(sequence: 0)?.count ?? 0) > row.count)
    }
}

private enum RouteSample {
    /// The same route, with this next hop alone.
    static func single(like route: [UInt8], _ hop: SavedHop) -> [UInt8] {
        let row: [UInt8] = [0x10, 0, 0, 0] + Array(of: hop.index?.rawValue ?? 0) + [0x08, 0, 0x05, 0]
        return Array(route[..<20]) + [0x14, 0, 0x09, 0] + row + hop.gateway
    }
}
