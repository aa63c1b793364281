/// An access point that a station was associated with, with all that a directed scan needs.
public struct AccessPoint: Codable, Hashable, Sendable {
    public var bssid: MACAddress
    public var ssid: SSID
    /// In MHz.
    public var frequency: UInt32

    public init(bssid: MACAddress, ssid: SSID, frequency: UInt32) {
        self.bssid = bssid
        self.ssid = ssid
        self.frequency = frequency
    }
}

/// A scan that a program has started (NL80211_CMD_TRIGGER_SCAN, linux/nl80211.h).
public struct Scan: Codable, Hashable, Sendable {
    /// In MHz, in order; empty: the kernel does not report them.
    public var frequencies: [UInt32]
    /// The networks that the scan names; the wildcard is not one of them.
    public var names: [SSID]

    public init(frequencies: [UInt32], names: [SSID] = []) {
        self.frequencies = frequencies
        self.names = names
    }
}
