import Glibc
import Platform

/// Searches the devices below a device in sysfs.
struct DeviceTree {
    /// The kernel's device classes for the parts of a network card. Anything else below the device, such as a
    /// disk, a Bluetooth radio or another function with its own driver, would be lost without need when the
    /// driver of the device is unbound. `mhi` is how ath11k and ath12k reach the firmware of their own card.
    private static let harmless: Set<String> = [
        "hwmon", "ieee80211", "leds", "mhi", "net", "pps", "ptp", "rfkill", "thermal", "wakeup",
    ]
    /// The most levels and directories that are searched. The tree of a network card is smaller.
    private static let deepest = 8
    private static let most = 4096

    private var left = most
    /// The bus and driver of the card's other functions. A device on this bus belongs to the card if it has
    /// this driver or none.
    private var functions: (bus: String, driver: String)?
    /// A directory that is not searched.
    private var spared: String?

    /// Finds the first device below `directory` that is not part of a network card. Returns its name, or the
    /// name of its driver if it is on the bus of `functions`; nil if there is no such device. If the tree
    /// exceeds the limits, returns the name of the first directory beyond them.
    /// - Parameters:
    ///   - directory: the directory of the device, without symbolic links.
    ///   - functions: a device on this bus is part of the card if it has this driver or none.
    ///   - spared: the directory of a device that is not searched. The devices between it and `directory`
    ///     are not reported, either.
    static func foreigner(
        beneath directory: String, functions: (bus: String, driver: String)? = nil,
        sparing spared: String? = nil
    ) -> String? {
        var tree = DeviceTree(functions: functions, spared: spared)
        return tree.foreigner(beneath: directory, depth: 0)
    }

    private init(functions: (bus: String, driver: String)?, spared: String?) {
        self.functions = functions
        self.spared = spared
    }

    private mutating func foreigner(beneath directory: String, depth: Int) -> String? {
        for name in SysfsClass.names(of: directory) {
            let place = "\(directory)/\(name)"
            guard Self.isDirectory(place), place != spared else { continue }
            left -= 1
            // A tree beyond the limits is not known to be harmless.
            guard depth < Self.deepest, left > 0 else { return name }
            // The link names the class or bus of a device. A directory that is not a device has no such link.
            let kind = SymbolicLink.lastPart("\(place)/subsystem")
            if let kind, kind == functions?.bus {
                let driver = SymbolicLink.lastPart("\(place)/driver")
                if let driver, driver != functions?.driver { return driver }
            } else if let kind, !Self.harmless.contains(kind), spared?.hasPrefix("\(place)/") != true {
                return name
            }
            if let found = foreigner(beneath: place, depth: depth + 1) { return found }
        }
        return nil
    }

    private static func isDirectory(_ place: String) -> Bool {
        var status = stat()
        return lstat(place, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
