import CNetlink
import Model

/// One entry of the kernel's scan results: what it last received from a BSS (NL80211_CMD_NEW_SCAN_RESULTS,
/// the answer to NL80211_CMD_GET_SCAN; linux/nl80211.h, enum nl80211_bss). The request starts no scan.
struct ScanMessage {
    var bssid: MACAddress
    /// The frequency in MHz.
    var frequency: UInt32?
    var ssid: SSID?
    /// Whether the station is associated with this BSS (NL80211_BSS_STATUS_ASSOCIATED).
    var isAssociated: Bool
    /// The time since a frame of this BSS was received, including time in suspend (NL80211_BSS_SEEN_MS_AGO).
    var ago: Duration?

    static func parse(_ payload: Bytes) -> ScanMessage? {
        guard let message = GenericMessage.parse(payload), message.isCommand(NL80211_CMD_NEW_SCAN_RESULTS),
            let bss = message.attributes[NL80211_ATTR_BSS]?.nested,
            let bssid = bss[NL80211_BSS_BSSID].flatMap({ MACAddress($0) })
        else { return nil }
        return ScanMessage(
            bssid: bssid, frequency: bss[NL80211_BSS_FREQUENCY]?.number(),
            ssid: bss[NL80211_BSS_INFORMATION_ELEMENTS].flatMap(ssid),
            isAssociated: bss[NL80211_BSS_STATUS]?.number() == NL80211_BSS_STATUS_ASSOCIATED.rawValue,
            ago: bss[NL80211_BSS_SEEN_MS_AGO]?.number(UInt32.self).map { .milliseconds(Int64($0)) })
    }

    /// Requests the BSSs that an interface has found.
    static func request(family: UInt16, index: InterfaceIndex) -> Request {
        .nl80211(NL80211_CMD_GET_SCAN, family: family, index: index, flags: NLM_F_DUMP)
    }

    /// Finds the SSID in information elements. Each element consists of an id byte, a length byte and its
    /// value; the SSID has id 0 (IEEE 802.11, 9.4.2).
    private static func ssid(in elements: Bytes) -> SSID? {
        var rest = elements
        while let id = rest.first, let length = rest.dropFirst().first.map({ Int($0) }) {
            let value = rest.dropFirst(2).prefix(length)
            guard value.count == length else { return nil }
            if id == 0 { return SSID(validating: value) }
            rest = rest.dropFirst(2 + length)
        }
        return nil
    }
}
