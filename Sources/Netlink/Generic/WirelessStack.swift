import Glibc

/// The kernel's Wi-Fi stack, cfg80211, which provides nl80211.
enum WirelessStack {
    private static let classes = "/sys/class"

    /// Whether cfg80211 is certainly not loaded. It creates its device class before its generic netlink
    /// family, and removes the class after the family (cfg80211_init(), cfg80211_exit()). False if sysfs is
    /// not mounted.
    static var isMissing: Bool {
        access("\(classes)/ieee80211", F_OK) != 0 && errno == ENOENT && access("\(classes)/net", F_OK) == 0
    }
}
