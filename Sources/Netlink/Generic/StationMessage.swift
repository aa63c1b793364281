import CNetlink
import Model

/// A station as nl80211 reports it (NL80211_CMD_NEW_STATION, the answer to NL80211_CMD_GET_STATION;
/// linux/nl80211.h).
struct StationMessage {
    var address: MACAddress
    /// Whether this station is associated. Also true if the driver reports no flags: such a driver lists only
    /// the access point.
    var isAssociated: Bool
    /// Whether this station is marked as a TDLS peer. brcmfmac also marks the access point as one: its firmware
    /// answers the question about a TDLS peer for every address (`brcmf_cfg80211_get_station`).
    var isDirect: Bool
    var information: StationInformation

    static func parse(_ payload: Bytes) -> StationMessage? {
        guard let message = GenericMessage.parse(payload), message.isCommand(NL80211_CMD_NEW_STATION),
            let address = message.attributes[NL80211_ATTR_MAC].flatMap({ MACAddress($0) })
        else { return nil }
        let information = message.attributes[NL80211_ATTR_STA_INFO]?.nested
        let flags = Flags(information?[NL80211_STA_INFO_STA_FLAGS])
        return StationMessage(
            address: address,
            isAssociated: flags[NL80211_STA_FLAG_ASSOCIATED] ?? true,
            isDirect: flags[NL80211_STA_FLAG_TDLS_PEER] ?? false,
            information: information.map(StationInformation.init(attributes:)) ?? StationInformation())
    }

    /// Requests the stations that an interface knows.
    static func request(family: UInt16, index: InterfaceIndex) -> Request {
        .nl80211(NL80211_CMD_GET_STATION, family: family, index: index, flags: NLM_F_DUMP)
    }

    /// struct nl80211_sta_flag_update: `mask` has the flags that are known, and `set` has those that are set.
    private struct Flags {
        private let flags: nl80211_sta_flag_update?

        init(_ payload: Bytes?) { flags = payload?.structure() }

        /// nil: not known.
        subscript(_ flag: nl80211_sta_flags) -> Bool? {
            guard let flags, flags.mask & 1 << flag.rawValue != 0 else { return nil }
            return flags.set & 1 << flag.rawValue != 0
        }
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
