import Glibc

/// Reads small files that root, or the user of this process, maintains for this program, such as those in
/// `/etc/wifi-toggler`.
public enum TrustedFile {
    /// The size limit in bytes.
    static let largest = 1 << 16

    /// The whole text of a file, with bytes that are not UTF-8 replaced; nil if the file or the directory
    /// does not exist.
    /// - Throws: the file cannot be read, is not a regular file (EINVAL), or is larger than 64 KiB (EFBIG);
    ///   or the file or the directory is not trusted: it is a symbolic link (ELOOP, ENOTDIR), belongs to
    ///   another user, or can be written by others (EPERM; not checked for this user's own directory).
    public static func text(_ name: String, in directory: String) throws(SystemError) -> String? {
        let place: OpenDirectory
        do { place = try OpenDirectory(directory, making: false) } catch  where error.code == ENOENT {
            return nil
        }
        guard let (descriptor, status) = try place.open(name, largest: .max) else { return nil }
        defer { close(descriptor) }
        guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
            throw SystemError(call: "openat", code: EPERM)
        }
        let bytes = try SmallFile.content(descriptor, status, largest: largest)
        guard bytes.count <= largest else { throw SystemError(call: "read", code: EFBIG) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Describes an error of ``text(_:in:)`` in a clause, with the remedy.
    public static func description(of error: SystemError) -> String {
        switch error.code {
        case ELOOP, ENOTDIR, EINVAL:
            "not a regular file, but a symbolic link or the like (copy the file itself there)"
        case EPERM:
            "somebody else could change it (let root own it and its directory: chown root, chmod go-w)"
        case EFBIG: "larger than \(largest >> 10) KiB (keep only the sections that you need)"
        default: error.description
        }
    }
}
