/// How the program treats a station's power saving (NL80211_CMD_SET_POWER_SAVE, linux/nl80211.h). A radio
/// that sleeps between beacons answers late, and with some drivers not at all.
public enum PowerSave: String, Codable, Hashable, Sendable, CaseIterable {
    /// The program keeps power saving off.
    case off
    /// As `off` if a driver file says so for the driver of the interface, else as `leave`.
    case auto
    /// The owner and the driver decide; the program changes nothing.
    case leave
}
