import Glibc

/// Files of one short line, such as those in /sys and /proc.
public enum SmallFile {
    /// The first line of a file, its end trimmed; nil where it cannot be read or is not UTF-8. No more than
    /// 4096 bytes are looked at, and nothing is waited for.
    public static func line(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor != -1 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { return nil }
        return String(validating: bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
