import Glibc

/// Reads symbolic links.
public enum SymbolicLink {
    /// The target of a symbolic link (readlink(2)); nil if there is no link, or if the kernel does not show
    /// the target.
    public static func target(_ path: String) -> String? {
        var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = target.withUnsafeMutableBytes {
            readlink(path, $0.assumingMemoryBound(to: CChar.self).baseAddress!, $0.count)
        }
        return count > 0 ? String(decoding: target.prefix(count), as: UTF8.self) : nil
    }

    /// The last component of the target, such as the name of a driver.
    public static func lastPart(_ path: String) -> String? {
        target(path)?.utf8.split(separator: UInt8(ascii: "/")).last.flatMap(String.init)
    }
}
