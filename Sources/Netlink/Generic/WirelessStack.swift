import Glibc

/// The kernel's cfg80211, which brings nl80211.
enum WirelessStack {
    private static let classes = "/sys/class"

    /// Whether it is certainly not loaded: it makes its class of devices before its generic netlink family, and takes it
    /// away after it (cfg80211_init(), cfg80211_exit()). Where sysfs cannot be seen nothing is certain.
    static var isMissing: Bool {
        access("\(classes)/ieee80211", F_OK) != 0 && errno == ENOENT && access("\(classes)/net", F_OK) == 0
    }
}
