import CNetlink
import Model

@testable import Netlink

/// A datagram of generic netlink: families, and nl80211 messages about interfaces, stations, BSSs and
/// connections.
enum WirelessMessages {
    private static let index = InterfaceIndex(rawValue: 3)

    static func take(_ datagram: [UInt8]) {
        for message in Message.split(datagram) {
            let payload = message.payload
            _ = GenericMessage.parse(payload)
            _ = Family.parse(payload)
            _ = WirelessEvent.parse(payload)
            if let interface = InterfaceMessage.parse(payload) {
                demand(interface.index.rawValue > 0, "an interface without an index")
                check(interface.ssid)
            }
            if let station = StationMessage.parse(payload) { check(station.information) }
            if let scan = ScanMessage.parse(payload) { check(scan.ssid) }
        }
        hold(datagram)
    }

    private static func check(_ ssid: SSID?) {
        guard let ssid else { return }
        demand((1...SSID.maximumLength).contains(ssid.bytes.count), "a name of \(ssid.bytes.count) bytes")
        let text = ssid.description
        demand(
            text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control },
            "not fit to be shown")
    }

    private static func check(_ station: StationInformation) {
        demand(station.inactive ?? .zero >= .zero, "inactive until later")
        demand(station.connected ?? .zero >= .zero, "connected later")
    }

    /// Makes every request to nl80211, each answered with the input.
    private static func hold(_ datagram: [UInt8]) {
        var conversation = ScriptedKernel(answer: datagram).conversation()
        if let interfaces = try? conversation.wirelessInterfaces() {
            for wireless in interfaces.values { check(wireless.association?.ssid) }
        }
        guard let wireless = try? conversation.wireless(index) else { return }
        for network in (try? conversation.heardNetworks(by: wireless, index)) ?? [] {
            check(network.ssid)
            demand(network.ago >= .zero, "heard later")
        }
    }
}
