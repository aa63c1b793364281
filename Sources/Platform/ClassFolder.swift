import CLinux
import Glibc

/// The folders of devices of one kind in sysfs, such as /sys/class/net.
enum ClassFolder {
    /// What stands in a folder, in the order of the names; empty where it cannot be read.
    static func names(of folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// A file of one decimal number.
    static func number(_ path: String) -> UInt32? { SmallFile.line(path).flatMap { UInt32($0) } }

    /// Whether a network interface is administratively up (/sys/class/net/NAME/flags, IFF_UP).
    static func isUp(_ interface: String, _ sysfs: String) -> Bool {
        guard let line = SmallFile.line("\(sysfs)/class/net/\(interface)/flags"), line.hasPrefix("0x"),
            let flags = UInt32(line.dropFirst(2), radix: 16)
        else { return false }
        return flags & UInt32(IFF_UP.rawValue) != 0
    }
}
