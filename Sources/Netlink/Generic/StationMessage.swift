import CNetlink
import Model

/// A station as nl80211 reports it (NL80211_CMD_NEW_STATION, the answer to NL80211_CMD_GET_STATION;
/// linux/nl80211.h).
struct StationMessage {
    var address: MACAddress
    /// Whether this station is the access point, that is, associated and not a TDLS peer. Also true if the
    /// driver reports no flags: such a driver lists only the access point.
    var isAssociated: Bool
    var information: StationInformation

    static func parse(_ payload: Bytes) -> StationMessage? {
        guard let message = GenericMessage.parse(payload), message.isCommand(NL80211_CMD_NEW_STATION),
            let address = message.attributes[NL80211_ATTR_MAC].flatMap({ MACAddress($0) })
        else { return nil }
        let information = message.attributes[NL80211_ATTR_STA_INFO]?.nested
        return StationMessage(
            address: address,
            isAssociated: isAssociated(information?[NL80211_STA_INFO_STA_FLAGS]),
            information: information.map(StationInformation.init(attributes:)) ?? StationInformation())
    }

    /// Requests the stations that an interface knows.
    static func request(family: UInt16, index: InterfaceIndex) -> Request {
        .nl80211(NL80211_CMD_GET_STATION, family: family, index: index, flags: NLM_F_DUMP)
    }

    /// Reads struct nl80211_sta_flag_update: `mask` has the flags that are known, and `set` has the flags
    /// that are set.
    private static func isAssociated(_ payload: Bytes?) -> Bool {
        guard let flags: nl80211_sta_flag_update = payload?.structure() else { return true }
        let associated: UInt32 = 1 << NL80211_STA_FLAG_ASSOCIATED.rawValue
        let direct: UInt32 = 1 << NL80211_STA_FLAG_TDLS_PEER.rawValue
        return (flags.mask & associated == 0 || flags.set & associated != 0) && flags.set & direct == 0
    }
}

extension StationInformation {
    /// Reads the attributes inside NL80211_ATTR_STA_INFO (enum nl80211_sta_info).
    init(attributes: Attributes) {
        self.init(
            signal: attributes[NL80211_STA_INFO_SIGNAL]?.number(),
            inactive: attributes[NL80211_STA_INFO_INACTIVE_TIME]?.number(UInt32.self)
                .map { .milliseconds($0) },
            connected: attributes[NL80211_STA_INFO_CONNECTED_TIME]?.number(UInt32.self).map { .seconds($0) },
            sendFailures: attributes[NL80211_STA_INFO_TX_FAILED]?.number(),
            sendRetries: attributes[NL80211_STA_INFO_TX_RETRIES]?.number(),
            beaconLosses: attributes[NL80211_STA_INFO_BEACON_LOSS]?.number(),
            sendBitrate: Self.bitrate(attributes[NL80211_STA_INFO_TX_BITRATE]),
            receiveBitrate: Self.bitrate(attributes[NL80211_STA_INFO_RX_BITRATE]))
    }

    /// Reads a bit rate in units of 100 kbit/s (enum nl80211_rate_info). The older of the two attributes has
    /// 16 bits, and is absent if the rate needs more.
    private static func bitrate(_ payload: Bytes?) -> UInt32? {
        guard let rate = payload?.nested else { return nil }
        return rate[NL80211_RATE_INFO_BITRATE32]?.number(UInt32.self)
            ?? rate[NL80211_RATE_INFO_BITRATE]?.number(UInt16.self).map { UInt32($0) }
    }
}
