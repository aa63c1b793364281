import Glibc

/// Small text files that people write.
public enum TextFile {
    /// Larger files are not configuration.
    static let largest = 1 << 20

    /// The whole text, with bytes that are not UTF-8 replaced; nil if there is no such file.
    /// - Throws: the file is there and cannot be read, is not a regular file (EINVAL), or is larger than
    ///   1 MiB (EFBIG).
    public static func read(_ path: String) throws(SystemError) -> String? {
        try bytes(path, largest: largest).map { String(decoding: $0, as: UTF8.self) }
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
        var status = stat()
        try check("fstat") { fstat(descriptor, &status) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError(call: "open", code: EINVAL) }
        let bytes = try WholeFile.bytes(descriptor, status, largest: largest)
        guard bytes.count <= largest else { throw SystemError(call: "read", code: EFBIG) }
        return bytes
    }

    /// Replaces the content of a file with these bytes; creates it if it is missing, with the mode that the
    /// umask leaves.
    /// - Throws: it cannot be written, is a symbolic link (ELOOP) or no regular file (EINVAL).
    public static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        let descriptor = try check("open") { open(path, flags, 0o644) }
        defer { close(descriptor) }
        var status = stat()
        try check("fstat") { fstat(descriptor, &status) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError(call: "open", code: EINVAL) }
        try check("ftruncate") { ftruncate(descriptor, 0) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = try checkCount("write") {
                rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            }
            rest = rest.dropFirst(count)
        }
    }
}
