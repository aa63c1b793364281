import Glibc

/// Reads and writes small files as a whole: those in /sys and /proc, and files that people edit.
public enum SmallFile {
    /// The largest configuration file, in bytes.
    static let largestText = 1 << 20
    /// The most bytes that are read of a file of one line or a few lines.
    static let largestLine = 4096

    // MARK: The start

    /// The first line of a file without its newline; nil if it cannot be read, or is not UTF-8. Reads at most
    /// 4096 bytes, and does not block.
    public static func line(_ path: String) -> String? {
        guard let bytes = start(path, atMost: largestLine) else { return nil }
        return String(validating: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// The result of one read(2) at the start of a file, at most this many bytes; nil if it cannot be read.
    static func start(_ path: String, atMost most: Int) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor != -1 else { return nil }
        defer { close(descriptor) }
        let (bytes, count) = readOnce(descriptor, most)
        return count >= 0 ? bytes : nil
    }

    // MARK: The whole

    /// The whole text of a file, with bytes that are not UTF-8 replaced; nil if there is no such file.
    /// - Throws: the file cannot be read, is not a regular file (EINVAL), or is larger than 1 MiB (EFBIG).
    public static func text(_ path: String) throws(SystemError) -> String? {
        try bytes(path, largest: largestText).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The whole content of a file; nil if there is no such file. Throws like ``text(_:)``.
    /// - Parameter largest: the limit in bytes (EFBIG).
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

    /// Describes an error of ``text(_:)`` or ``bytes(_:largest:)`` in a clause.
    public static func description(of error: SystemError) -> String {
        error.code == EINVAL ? "not a regular file" : error.description
    }

    /// The whole content of an open file.
    /// - Parameters:
    ///   - status: the state of the file when it was opened (fstat(2)). If the file has not grown since then,
    ///     one read(2) is enough.
    ///   - largest: the limit in bytes. If the file is larger, slightly more than this is returned.
    static func content(_ descriptor: Int32, _ status: stat, largest: Int) throws(SystemError) -> [UInt8] {
        // A file in /proc has the length 0.
        let expected = min(max(Int(status.st_size), 0), largest)
        let room = expected > 0 ? expected + 1 : largestLine
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

    /// - Returns: the bytes, and the result of read(2), which is -1 if it has failed.
    private static func readOnce(_ descriptor: Int32, _ most: Int) -> (bytes: [UInt8], count: Int) {
        var count = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: most) { buffer, filled in
            count = read(descriptor, buffer.baseAddress, most)
            filled = max(count, 0)
        }
        return (bytes, count)
    }

    /// The state of an open file (fstat(2)).
    /// - Throws: the file is not a regular file (EINVAL).
    static func regular(_ descriptor: Int32) throws(SystemError) -> stat {
        let status = try status(of: descriptor)
        guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError(call: "open", code: EINVAL) }
        return status
    }

    /// The same for a file that this process may write.
    /// - Throws: also, the file belongs to another user or has a second hard link (EPERM).
    static func own(_ descriptor: Int32) throws(SystemError) -> stat {
        let status = try regular(descriptor)
        guard status.st_uid == geteuid(), status.st_nlink <= 1 else {
            throw SystemError(call: "open", code: EPERM)
        }
        return status
    }

    // MARK: Writing

    /// Replaces the content of a file. Creates the file if it does not exist (mode 0644, less the umask).
    /// - Throws: the file cannot be written, is a symbolic link (ELOOP), is not a regular file (EINVAL),
    ///   belongs to another user or has a second hard link (EPERM).
    public static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        let descriptor = try check("open") { open(path, flags, 0o644) }
        defer { close(descriptor) }
        _ = try own(descriptor)
        try check("ftruncate") { ftruncate(descriptor, 0) }
        try writeWhole(bytes, to: descriptor)
    }
}
