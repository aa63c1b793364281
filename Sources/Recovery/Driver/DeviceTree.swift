import Glibc
import Platform

/// The devices below a device in sysfs.
enum DeviceTree {
    /// The kernel's classes for the parts of a network card. Unbinding the driver would also remove anything
    /// else below the device (a disk, a Bluetooth radio, another function with a driver of its own).
    private static let harmless: Set<String> = [
        "hwmon", "ieee80211", "leds", "net", "pps", "ptp", "rfkill", "thermal", "wakeup",
    ]
    /// A network card has no deeper or larger tree.
    private static let deepest = 8
    private static let most = 4096

    /// The first thing below a device that is not part of a network card; nil: there is none.
    /// - Parameter directory: the device's own, without symbolic links.
    static func foreigner(beneath directory: String) -> String? {
        var left = most
        return foreigner(beneath: directory, depth: 0, &left)
    }

    private static func foreigner(beneath directory: String, depth: Int, _ left: inout Int) -> String? {
        for name in SysfsClass.names(of: directory) {
            let place = "\(directory)/\(name)"
            guard isDirectory(place) else { continue }
            left -= 1
            // A directory that cannot be read is not known to be harmless.
            guard depth < deepest, left > 0 else { return name }
            // The kernel's class or bus of a device; a directory that is not a device has no such link.
            if let kind = SymbolicLink.lastPart("\(place)/subsystem"), !harmless.contains(kind) {
                return name
            }
            if let found = foreigner(beneath: place, depth: depth + 1, &left) { return found }
        }
        return nil
    }

    private static func isDirectory(_ place: String) -> Bool {
        var status = stat()
        return lstat(place, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
