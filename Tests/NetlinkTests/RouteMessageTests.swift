import CNetlink
import Model
import Testing

@testable import Netlink

private let wlan = InterfaceIndex(rawValue: 3)

@Suite("Messages of rtnetlink")
struct RouteMessageTests {
    @Test("a link message gives name, address, flags, operational state and counters")
    func link() {
        let expected = Link(
            index: wlan, name: "wlan0", macAddress: MACAddress([2, 0, 0, 0, 1, 0]), isUp: true,
            hasCarrier: true, operationalState: .up,
            counters: LinkCounters(receivedPackets: 7, sentPackets: 8))
        #expect(LinkMessage.parse(Samples.link[...])?.link == expected)
    }

    @Test("a link without IFF_UP and IFF_LOWER_UP is down and has no carrier")
    func linkDown() {
        var bytes = Samples.link
        bytes.replaceSubrange(8..<12, with: [0x02, 0x10, 0x00, 0x00])  // ifi_flags BROADCAST, MULTICAST
        let link = LinkMessage.parse(bytes[...])?.link
        #expect(link?.isUp == false)
        #expect(link?.hasCarrier == false)
    }

    @Test("a link message without operational state reports no change")
    func wirelessEvent() {
        let parsed = LinkMessage.parse(Samples.wirelessEventLink[...])
        #expect(parsed?.index == wlan)
        #expect(parsed?.link == nil)
    }

    @Test("a bridge's message about its port gives no link")
    func bridgePort() {
        var bytes = Samples.link
        bytes[0] = 0x07  // ifi_family AF_BRIDGE
        #expect(LinkMessage.parse(bytes[...]) == nil)
    }

    @Test("IFA_LOCAL of a message is the address; with global scope it reaches beyond the link")
    func address() {
        let parsed = AddressMessage.parse(Samples.address[...])
        #expect(parsed?.index == wlan)
        #expect(
            parsed?.address
                == InterfaceAddress(
                    address: .v4(0x0a4d_0002), prefixLength: 24, reachesBeyondLink: true, isTentative: false))
    }

    @Test("an address of link scope stays on the link; without IFA_FLAGS the header's flags count")
    func tentativeAddress() {
        #expect(
            AddressMessage.parse(Samples.tentativeAddress[...])?.address
                == InterfaceAddress(
                    address: .v6(0xfe80 << 112 | 1), prefixLength: 64, reachesBeyondLink: false,
                    isTentative: true))
    }

    @Test("a 169.254/16 address stays on the link, whatever its scope")
    func selfAssignedAddress() {
        var bytes = Samples.address
        bytes.replaceSubrange(20..<24, with: [169, 254, 7, 7])  // IFA_LOCAL
        #expect(AddressMessage.parse(bytes[...])?.address.reachesBeyondLink == false)
    }

    @Test("a default route gives its gateway, interface and metric")
    func defaultRoute() {
        let route = RouteMessage.parse(Samples.defaultRoute[...])
        #expect(route?.isDefault == true)
        #expect(route?.isUnicast == true)
        #expect(route?.metric == 600)
        #expect(route?.nextHops == [.init(index: wlan, gateway: .v4(0x0a4d_0001))])
    }

    @Test("every next hop of a multipath route is read, a damaged one without its gateway")
    func multipath() {
        let route = RouteMessage.parse(Samples.multipathRoute[...])
        #expect(route?.isDefault == false)
        #expect(
            route?.nextHops == [
                .init(index: wlan, gateway: .v4(0x0a4d_0005)),
                .init(index: InterfaceIndex(rawValue: 4), gateway: nil),
            ])
    }

    @Test("the gateway of an IPv4 route through an IPv6 router is read")
    func via() {
        #expect(
            RouteMessage.parse(Samples.viaRoute[...])?.nextHops
                == [.init(index: wlan, gateway: .v6(0xfe80 << 112 | 7))])
    }

    @Test("the gateways of an interface are listed once each, default routes first, then by metric")
    func gatewayOrder() {
        func route(_ last: UInt32, isDefault: Bool, metric: UInt32, on index: Int32 = 3) -> RouteMessage {
            RouteMessage(
                isDefault: isDefault, metric: metric, isUnicast: true, leadsOut: true,
                nextHops: [.init(index: InterfaceIndex(rawValue: index), gateway: .v4(last))])
        }
        let routes = [
            route(1, isDefault: false, metric: 0), route(2, isDefault: true, metric: 600),
            route(3, isDefault: true, metric: 100), route(1, isDefault: false, metric: 5),
            route(4, isDefault: true, metric: 0, on: 9), route(0, isDefault: true, metric: 0),
        ]
        #expect(Conversation.gatewayAddresses(of: wlan, in: routes) == [.v4(3), .v4(2), .v4(1)])
    }

    @Test("the age of a neighbour's confirmation is converted from clock ticks of the given length")
    func neighbour() {
        let parsed = NeighbourMessage.parse(Samples.neighbour[...], ticksPerSecond: 100)
        #expect(parsed?.index == wlan)
        #expect(parsed?.address == .v4(0x0a4d_0001))
        #expect(
            parsed?.neighbour
                == Neighbour(
                    state: .stale, macAddress: MACAddress([2, 0, 0, 0, 0, 0]),
                    confirmed: .milliseconds(2500)))
        #expect(
            NeighbourMessage.parse(Samples.neighbour[...], ticksPerSecond: 1000)?.neighbour.confirmed
                == .milliseconds(250))
    }

    @Test(
        "each neighbour state is read, and only a verifiable one has a confirmation time",
        arguments: [
            (0x00 as UInt8, Neighbour.State.none), (0x01, .incomplete), (0x02, .reachable), (0x04, .stale),
            (0x08, .delay), (0x10, .probe), (0x20, .failed), (0x40, .noARP), (0x80, .permanent),
        ])
    func neighbourState(bits: UInt8, state: Neighbour.State) {
        var bytes = Samples.neighbour
        bytes[8] = bits  // ndm_state
        let neighbour = NeighbourMessage.parse(bytes[...])?.neighbour
        #expect(neighbour?.state == state)
        #expect((neighbour?.confirmed != nil) == state.isVerifiable)
    }
}

@Suite("Notifications of rtnetlink")
struct RouteEventsTests {
    private func notifications(_ type: Int, _ payload: [UInt8]) -> [NetlinkMonitor.Notification] {
        Message.split(Samples.message(type: type, payload)).flatMap(RouteEvents.notifications)
    }

    @Test("each relevant kind of message becomes its notification, an irrelevant message becomes none")
    func kinds() throws {
        let link = try #require(LinkMessage.parse(Samples.link[...])?.link)
        let gateway = IPAddress.v4(0x0a4d_0001)
        let neighbour = try #require(NeighbourMessage.parse(Samples.neighbour[...])?.neighbour)
        #expect(notifications(Int(RTM_NEWLINK), Samples.link) == [.linkChanged(link)])
        #expect(notifications(Int(RTM_NEWLINK), Samples.wirelessEventLink) == [])
        #expect(notifications(Int(RTM_DELLINK), Samples.link) == [.linkRemoved(wlan)])
        #expect(notifications(Int(RTM_NEWADDR), Samples.address) == [.addressChanged(wlan)])
        #expect(notifications(Int(RTM_DELADDR), Samples.address) == [.addressRemoved(wlan)])
        #expect(notifications(Int(RTM_NEWROUTE), Samples.defaultRoute) == [.routeChanged(wlan)])
        #expect(
            notifications(Int(RTM_DELROUTE), Samples.multipathRoute)
                == [.routeRemoved(wlan), .routeRemoved(InterfaceIndex(rawValue: 4))])
        #expect(notifications(Int(RTM_NEWNEXTHOP), Samples.nextHop) == [.routeChanged(wlan)])
        #expect(notifications(Int(RTM_DELNEXTHOP), Samples.nextHop) == [.routeRemoved(wlan)])
        #expect(notifications(Int(RTM_NEWNEXTHOP), Samples.resilientGroup) == [.nextHopGroupChanged])
        #expect(notifications(Int(RTM_DELNEXTHOP), Samples.resilientGroup) == [.nextHopGroupRemoved])
        #expect(
            notifications(Int(RTM_NEWNEIGH), Samples.neighbour)
                == [.neighbourChanged(wlan, gateway, neighbour)])
        #expect(
            notifications(Int(RTM_DELNEIGH), Samples.neighbour)
                == [.neighbourChanged(wlan, gateway, Neighbour(state: .none))])
        #expect(notifications(Int(RTM_NEWRULE), Samples.defaultRoute) == [])
    }

    @Test(
        "only dev_close(), the kernel's own closing of a link, gives the notification of a closed link",
        arguments: [
            (0x1042, 0x41, true),  // dev_close(): IFF_UP and IFF_RUNNING
            (0x1042, 0x1, false),  // a program set it down by RTM_SETLINK or SIOCSIFFLAGS: IFF_UP
            (0x1042, 0, false), (0x1002, 0xffff_ffff, false),  // another change; a new interface
            (0x1043, 0x41, false),  // dev_open()
        ] as [(UInt32, UInt32, Bool)])
    func closed(flags: UInt32, change: UInt32, isClosed: Bool) throws {
        var bytes = Samples.link
        withUnsafeBytes(of: (flags, change)) { bytes.replaceSubrange(8..<16, with: $0) }
        let link = try #require(LinkMessage.parse(bytes[...])?.link)
        let expected = (isClosed ? [.linkClosed(wlan)] : []) + [NetlinkMonitor.Notification.linkChanged(link)]
        #expect(notifications(Int(RTM_NEWLINK), bytes) == expected)
    }

    @Test("a link that leaves a bridge is not reported as removed")
    func bridgePort() {
        var bytes = Samples.link
        bytes[0] = 0x07  // ifi_family AF_BRIDGE
        #expect(notifications(Int(RTM_DELLINK), bytes) == [])
    }

    @Test("only the multicast groups of the wanted topics are joined")
    func groups() {
        #expect(RouteEvents.groups(of: .links) == [1])  // RTNLGRP_LINK
        #expect(RouteEvents.groups(of: [.neighbours, .routes]) == [7, 11, 3])
        #expect(RouteEvents.groups(of: .wireless) == [])
    }
}
