/// An access point that a station was associated with, as it can be found again.
public struct AccessPoint: Codable, Hashable, Sendable {
    public var bssid: MACAddress
    public var ssid: SSID
    /// MHz.
    public var frequency: UInt32

    public init(bssid: MACAddress, ssid: SSID, frequency: UInt32) {
        self.bssid = bssid
        self.ssid = ssid
        self.frequency = frequency
    }
}

/// A scan that somebody has begun (NL80211_CMD_TRIGGER_SCAN, linux/nl80211.h).
public struct Scan: Codable, Hashable, Sendable {
    /// MHz, in their order; empty: the kernel does not tell.
    public var frequencies: [UInt32]
    /// The networks that are called by their names; a call for all of them is none.
    public var names: [SSID]

    public init(frequencies: [UInt32], names: [SSID] = []) {
        self.frequencies = frequencies
        self.names = names
    }
}
