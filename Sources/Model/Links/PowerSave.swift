/// What happens to the power saving of a station (NL80211_CMD_SET_POWER_SAVE): a radio that sleeps between
/// beacons answers late, and with some drivers not at all.
public enum PowerSave: String, Codable, Hashable, Sendable, CaseIterable {
    /// It is kept off.
    case off
    /// It is left to the owner and the driver.
    case leave
}
