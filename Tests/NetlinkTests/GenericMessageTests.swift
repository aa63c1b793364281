import CNetlink
import Model
import Testing

@testable import Netlink

private let wlan = InterfaceIndex(rawValue: 3)
private let accessPoint = MACAddress([2, 0, 0, 0, 0, 0])

@Suite("Messages of nl80211")
struct GenericMessageTests {
    @Test("a message about a generic netlink family gives its number, and its groups by name")
    func family() {
        let family = Family.parse(Samples.family[...])
        #expect(family?.name == "nl80211")
        #expect(family?.id == 28)
        #expect(family?.groups == ["config": 10, "mlme": 13])
    }

    @Test("a message about a Wi-Fi interface gives its role, phy, network and frequency")
    func interface() {
        let parsed = InterfaceMessage.parse(Samples.wirelessInterface[...])
        #expect(parsed?.index == wlan)
        #expect(parsed?.role == .station)
        #expect(parsed?.phy == 1)
        #expect(parsed?.ssid == SSID(Array("lab".utf8)))
        #expect(parsed?.frequency == 2412)
    }

    @Test(
        "interface roles are those of the kernel, and an unknown role's number is kept",
        arguments: [
            (1 as UInt8, Wireless.Role.adHoc), (2, .station), (3, .accessPoint), (6, .monitor), (7, .mesh),
            (8, .p2pClient), (9, .p2pGroupOwner), (250, .other(250)),
        ])
    func role(type: UInt8, role: Wireless.Role) {
        var bytes = Samples.wirelessInterface
        bytes[24] = type  // NL80211_ATTR_IFTYPE
        #expect(InterfaceMessage.parse(bytes[...])?.role == role)
    }

    @Test("a message about a device without an interface gives no interface")
    func deviceWithoutIndex() {
        var bytes = Samples.wirelessInterface
        bytes[6] = 0x99  // NL80211_ATTR_IFINDEX becomes NL80211_ATTR_WDEV
        #expect(InterfaceMessage.parse(bytes[...]) == nil)
    }

    @Test("a station's counters keep sign and unit, and the 32-bit bitrate is preferred to the 16-bit one")
    func station() {
        let parsed = StationMessage.parse(Samples.station[...])
        #expect(parsed?.address == accessPoint)
        #expect(parsed?.isAssociated == true)
        #expect(
            parsed?.information
                == StationInformation(
                    signal: -42, inactive: .milliseconds(1500), connected: .seconds(300), sendFailures: 2,
                    sendRetries: 5, beaconLosses: 1, sendBitrate: 100_000, receiveBitrate: 540))
    }

    @Test(
        "a station counts as associated unless its flags say otherwise; a TDLS peer is marked",
        arguments: [
            // mask, set, expected
            (0xfe as UInt8, 0xae as UInt8, true, false),
            (0xfe, 0x20, false, false),  // authenticated alone
            (0xfe, 0x80, true, false),  // associated
            (0xfe, 0xc0, true, true),  // associated, NL80211_STA_FLAG_TDLS_PEER
            (0x00, 0x00, true, false),  // a driver that does not report it
        ])
    func stationFlags(mask: UInt8, set: UInt8, isAssociated: Bool, isDirect: Bool) {
        var bytes = Samples.station
        bytes[bytes.count - 8] = mask
        bytes[bytes.count - 4] = set
        let station = StationMessage.parse(bytes[...])
        #expect(station?.isAssociated == isAssociated && station?.isDirect == isDirect)
    }

    @Test("a station without any information is taken for the access point")
    func bareStation() {
        let parsed = StationMessage.parse(Samples.station[..<24])
        #expect(parsed?.address == accessPoint)
        #expect(parsed?.information == StationInformation())
    }

    @Test("the associated BSS of a scan gives its address, frequency and name")
    func scan() {
        let bss = ScanMessage.parse(Samples.scan[...])
        #expect(bss?.bssid == accessPoint)
        #expect(bss?.frequency == 2412)
        #expect(bss?.ssid == SSID(Array("lab".utf8)))
        #expect(bss?.isAssociated == true)
        #expect(bss?.ago == .milliseconds(1500))
    }

    @Test(
        "a BSS that is only authenticated, or is a joined IBSS, is no association",
        arguments: [0, 2])
    func otherBSS(status: UInt8) {
        var bytes = Samples.scan
        bytes[bytes.count - 4] = status  // NL80211_BSS_STATUS_AUTHENTICATED, NL80211_BSS_STATUS_IBSS_JOINED
        #expect(ScanMessage.parse(bytes[...])?.isAssociated == false)
    }

    @Test("a connect event with status 0 is a connection, with any other status it is not")
    func connect() {
        #expect(WirelessEvent.parse(Samples.connect[...]) == .wirelessConnected(wlan))
        var refused = Samples.connect
        refused[16] = 1  // WLAN_STATUS_UNSPECIFIED_FAILURE
        #expect(WirelessEvent.parse(refused[...]) == .joinAttempted(wlan), "an attempt, though")
    }

    @Test("a roam event counts as a connection")
    func roam() {
        var bytes = Samples.connect
        bytes[0] = 0x2f  // NL80211_CMD_ROAM
        #expect(WirelessEvent.parse(bytes[...]) == .wirelessConnected(wlan))
    }

    @Test("a disconnect event gives the reason, and whether the access point caused it")
    func disconnect() {
        let end = Disconnection(reason: 4, isByAccessPoint: true)
        #expect(WirelessEvent.parse(Samples.disconnect[...]) == .wirelessDisconnected(wlan, end))
        let leave = Disconnection(reason: 3, isByAccessPoint: false)
        #expect(WirelessEvent.parse(Samples.leave[...]) == .wirelessDisconnected(wlan, leave))
        let unknown = Disconnection(reason: nil, isByAccessPoint: false)
        #expect(WirelessEvent.parse(Samples.disconnect[..<12]) == .wirelessDisconnected(wlan, unknown))
        // A reason of one byte is invalid.
        var short = Samples.leave
        short[12] = 5
        #expect(WirelessEvent.parse(short[...]) == .wirelessDisconnected(wlan, unknown))
    }

    @Test("the end of a completed scan is reported, that of an aborted scan is not")
    func scanFinished() {
        var bytes = Samples.scan
        #expect(WirelessEvent.parse(bytes[...]) == .scanFinished(wlan))
        bytes[0] = 0x23  // NL80211_CMD_SCAN_ABORTED
        #expect(WirelessEvent.parse(bytes[...]) == nil)
    }

    @Test(
        "authentication and association frames are attempts to join, whatever their result",
        arguments: [0x25, 0x26])
    func join(command: UInt8) {  // NL80211_CMD_AUTHENTICATE, NL80211_CMD_ASSOCIATE
        var bytes = Samples.connect
        bytes[0] = command
        #expect(WirelessEvent.parse(bytes[...]) == .joinAttempted(wlan))
        #expect(WirelessEvent.parse(bytes[..<12]) == .joinAttempted(wlan), "it timed out")
    }

    @Test("a deauthentication frame is reported, a disassociation frame is not")
    func deauthenticate() {
        var bytes = Samples.connect
        bytes[0] = 0x27  // NL80211_CMD_DEAUTHENTICATE
        #expect(WirelessEvent.parse(bytes[...]) == .deauthenticated(wlan, isByDriver: false))
        let reconnect: [UInt8] = [4, 0, 0x2b, 1]  // NL80211_ATTR_RECONNECT_REQUESTED, a flag
        #expect(
            WirelessEvent.parse((bytes + reconnect)[...]) == .deauthenticated(wlan, isByDriver: true))
        bytes[0] = 0x28  // NL80211_CMD_DISASSOCIATE
        #expect(WirelessEvent.parse(bytes[...]) == nil)
    }

    @Test(
        "the end of an association has no reason if the driver has ended it, and the next end has one again")
    func driversEnd() {
        var driversEnd = DriversEnd()
        let leave = Disconnection(reason: 3, isByAccessPoint: false)
        let left = NetlinkMonitor.Notification.wirelessDisconnected(wlan, leave)
        let other = NetlinkMonitor.Notification.wirelessDisconnected(InterfaceIndex(rawValue: 99), leave)
        let (byStation, byDriver) = (
            NetlinkMonitor.Notification.deauthenticated(wlan, isByDriver: false),
            NetlinkMonitor.Notification.deauthenticated(wlan, isByDriver: true)
        )
        let plain = [byStation, left, byDriver, other, left, byDriver, .scanFinished(wlan), left]
        #expect(plain.map { driversEnd.corrected($0) } == plain)
        let end = NetlinkMonitor.Notification.wirelessDisconnected(
            wlan, Disconnection(isByAccessPoint: false))
        #expect([byDriver, left, left].map { driversEnd.corrected($0) } == [byDriver, end, left])
    }
}
