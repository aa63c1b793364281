import CLinux
import Glibc

/// Reads directories of sysfs that contain the devices of one kind, such as /sys/class/net.
public enum SysfsClass {
    /// The names in a directory, sorted; empty if it cannot be read.
    public static func names(of directory: String) -> [String] {
        DirectoryListing.of(directory, atMost: most).sorted()
    }

    /// Whether a name is safe as a component of a path in sysfs: it cannot lead out of its directory.
    public static func isComponent(_ name: String) -> Bool {
        !name.isEmpty && !name.hasPrefix(".") && !name.utf8.contains(UInt8(ascii: "/"))
    }

    /// The most names that are read. The kernel has no directory with more devices.
    private static let most = 1 << 16

    /// The decimal number in a file; nil if the file does not contain one.
    public static func number(_ path: String) -> UInt32? { SmallFile.line(path).flatMap { UInt32($0) } }

    /// Whether a network interface is administratively up (/sys/class/net/NAME/flags, IFF_UP).
    public static func isUp(_ interface: String, _ sysfs: String) -> Bool {
        guard let line = SmallFile.line("\(sysfs)/class/net/\(interface)/flags"), line.hasPrefix("0x"),
            let flags = UInt32(line.dropFirst(2), radix: 16)
        else { return false }
        return flags & UInt32(IFF_UP.rawValue) != 0
    }
}
