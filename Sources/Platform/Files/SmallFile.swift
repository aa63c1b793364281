import Glibc

/// Files that are read and written whole: those in /sys and /proc, and those that people write.
public enum SmallFile {
    /// Larger files are not configuration, in bytes.
    static let largestText = 1 << 20
    /// A page of memory, and more than any file of one line contains.
    static let page = 4096

    // MARK: The start

    /// The first line of a file, trimmed; nil if it cannot be read or is not UTF-8. At most 4096 bytes are
    /// read, without blocking.
    public static func line(_ path: String) -> String? {
        guard let bytes = start(path, atMost: page) else { return nil }
        return String(validating: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// The result of one read(2) of a file, at most this many bytes; nil if it cannot be read.
    static func start(_ path: String, atMost most: Int) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor != -1 else { return nil }
        defer { close(descriptor) }
        let (bytes, count) = readOnce(descriptor, most)
        return count >= 0 ? bytes : nil
    }

    // MARK: The whole

    /// The whole text, with bytes that are not UTF-8 replaced; nil if there is no such file.
    /// - Throws: the file is there and cannot be read, is not a regular file (EINVAL), or is larger than
    ///   1 MiB (EFBIG).
    public static func text(_ path: String) throws(SystemError) -> String? {
        try bytes(path, largest: largestText).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The same for any file, as bytes.
    /// - Parameter largest: in bytes; larger ones are refused (EFBIG).
    public static func bytes(_ path: String, largest: Int) throws(SystemError) -> [UInt8]? {
        let descriptor: Int32
        do {
            descriptor = try check("open") { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        } catch  where error.code == ENOENT {
            return nil
        }
        defer { close(descriptor) }
        let bytes = try content(descriptor, try regular(descriptor), largest: largest)
        guard bytes.count <= largest else { throw SystemError(call: "read", code: EFBIG) }
        return bytes
    }

    /// The whole content of an open file.
    /// - Parameters:
    ///   - status: the state of the file when it was opened (fstat(2)): one that has not grown since needs a
    ///     single read(2).
    ///   - largest: in bytes; of a larger file, slightly more is read.
    static func content(_ descriptor: Int32, _ status: stat, largest: Int) throws(SystemError) -> [UInt8] {
        // Files in /proc report no length.
        let expected = min(max(Int(status.st_size), 0), largest)
        let room = expected > 0 ? expected + 1 : page
        var content: [UInt8] = []
        while content.count <= largest {
            let (part, count) = readOnce(descriptor, room)
            if count == -1 {
                if errno == EINTR { continue }
                throw SystemError(call: "read", code: errno)
            }
            if content.isEmpty { content = part } else { content += part }
            if count == 0 || expected > 0 && content.count == expected { break }
        }
        return content
    }

    /// - Returns: what was read, and the result of read(2): -1 if it failed.
    private static func readOnce(_ descriptor: Int32, _ most: Int) -> (bytes: [UInt8], count: Int) {
        var count = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: most) { buffer, filled in
            count = read(descriptor, buffer.baseAddress, most)
            filled = max(count, 0)
        }
        return (bytes, count)
    }

    /// The state of an open file.
    /// - Throws: it is not a regular file (EINVAL).
    private static func regular(_ descriptor: Int32) throws(SystemError) -> stat {
        let status = try status(of: descriptor)
        guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError(call: "open", code: EINVAL) }
        return status
    }

    // MARK: Writing

    /// Replaces the content of a file with these bytes; creates it if it is missing, with the mode that the
    /// umask leaves.
    /// - Throws: it cannot be written, is a symbolic link (ELOOP) or no regular file (EINVAL), or belongs to another
    ///   user or has a second name (EPERM).
    public static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        let descriptor = try check("open") { open(path, flags, 0o644) }
        defer { close(descriptor) }
        let status = try regular(descriptor)
        guard status.st_uid == geteuid(), status.st_nlink <= 1 else {
            throw SystemError(call: "open", code: EPERM)
        }
        try check("ftruncate") { ftruncate(descriptor, 0) }
        try writeWhole(bytes, to: descriptor)
    }
}
