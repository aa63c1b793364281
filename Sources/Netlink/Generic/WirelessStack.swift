import Glibc

/// The kernel's cfg80211, which provides nl80211.
enum WirelessStack {
    private static let classes = "/sys/class"

    /// Whether it is certainly not loaded: it creates its device class before its generic netlink family, and
    /// removes it after it (cfg80211_init(), cfg80211_exit()). Without sysfs nothing is certain.
    static var isMissing: Bool {
        access("\(classes)/ieee80211", F_OK) != 0 && errno == ENOENT && access("\(classes)/net", F_OK) == 0
    }
}
