import Glibc
import Platform

/// The devices below a device in sysfs.
struct DeviceTree {
    /// The kernel's classes for the parts of a network card. Unbinding the driver would also remove anything
    /// else below the device (a disk, a Bluetooth radio, another function with a driver of its own).
    private static let harmless: Set<String> = [
        "hwmon", "ieee80211", "leds", "net", "pps", "ptp", "rfkill", "thermal", "wakeup",
    ]
    /// A network card has no deeper or larger tree.
    private static let deepest = 8
    private static let most = 4096

    private var left = most
    /// The functions of a card that belong to the network interface: those of this bus without a driver or with this
    /// one.
    private var functions: (bus: String, driver: String)?
    /// A directory that is not looked into.
    private var spared: String?

    /// The first thing below a device that is not part of a network card; nil: there is none.
    /// - Parameters:
    ///   - directory: the device's own, without symbolic links.
    ///   - functions: the devices of this bus below it, with this driver or without one, are parts of the card.
    ///   - spared: the directory of a device that is not looked into.
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
            // A directory that cannot be read is not known to be harmless.
            guard depth < Self.deepest, left > 0 else { return name }
            // The kernel's class or bus of a device; a directory that is not a device has no such link.
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
