/// An access point that a station was associated with: what a directed scan needs to know of it.
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
    /// In MHz, in the order of the kernel's message (NL80211_ATTR_SCAN_FREQUENCIES); empty: not reported.
    public var frequencies: [UInt32]
    /// The SSIDs in the probe requests (NL80211_ATTR_SCAN_SSIDS), without the wildcard.
    public var names: [SSID]

    public init(frequencies: [UInt32], names: [SSID] = []) {
        self.frequencies = frequencies
        self.names = names
    }

    /// A scan of fewer channels ends before it could be aborted.
    private static let fewestChannels = 4

    /// Whether the scan covers many channels, the access point's too, for this network or for any.
    package func isWhole(for accessPoint: AccessPoint) -> Bool {
        frequencies.count >= Self.fewestChannels && frequencies.contains(accessPoint.frequency)
            && names.allSatisfy { $0 == accessPoint.ssid }
    }
}
