import Glibc

/// Files of one short line, such as those in /sys and /proc.
public enum SmallFile {
    /// The first line of a file, trimmed; nil if it cannot be read or is not UTF-8. At most 4096 bytes are
    /// read, without blocking.
    public static func line(_ path: String) -> String? {
        guard let bytes = bytes(path, atMost: size) else { return nil }
        return String(validating: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// A page of memory, and more than any of them contains.
    static let size = 4096

    /// The result of one read(2) of a file, at most this many bytes; nil if it cannot be read.
    static func bytes(_ path: String, atMost most: Int) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor != -1 else { return nil }
        defer { close(descriptor) }
        var count = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: most) { buffer, filled in
            count = read(descriptor, buffer.baseAddress, most)
            filled = max(count, 0)
        }
        return count >= 0 ? bytes : nil
    }
}
