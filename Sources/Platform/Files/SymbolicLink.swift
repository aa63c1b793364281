import Glibc

/// Where a symbolic link leads.
public enum SymbolicLink {
    /// What stands in it (readlink(2)); nil: there is none, or the kernel does not tell.
    public static func target(_ path: String) -> String? {
        var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = target.withUnsafeMutableBytes {
            readlink(path, $0.assumingMemoryBound(to: CChar.self).baseAddress!, $0.count)
        }
        return count > 0 ? String(decoding: target.prefix(count), as: UTF8.self) : nil
    }

    /// The last part of where it leads, such as the kernel's name of a device's driver.
    public static func lastPart(_ path: String) -> String? {
        target(path)?.utf8.split(separator: UInt8(ascii: "/")).last.flatMap(String.init)
    }
}
