import Glibc

/// A directory of ours, such as `/run/wifi-toggler`, that nobody else can have prepared.
enum TrustedDirectory {
    /// Opens the directory, and makes it (mode 0755) where it is missing. No symbolic link is followed to
    /// it, it must belong to us, to root or to the service's own user, and, unless it is ours, be writable by no one
    /// else. What is done in it is done by its ``DirectoryCredentials``.
    /// - Parameter making: false: a directory that is missing is an error (ENOENT).
    /// - Returns: a descriptor that the caller closes.
    static func open(_ path: String, making: Bool = true) throws(SystemError) -> Int32 {
        try openOwned(path, making: making).descriptor
    }

    /// The same, and whose it is.
    static func openOwned(
        _ path: String, making: Bool
    ) throws(SystemError) -> (descriptor: Int32, owner: DirectoryCredentials) {
        let descriptor: Int32
        do {
            descriptor = try lookUp(path)
        } catch  where making && error.code == ENOENT {
            try make(path)
            descriptor = try lookUp(path)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, isTrusted(owner: status.st_uid, mode: status.st_mode) else {
            close(descriptor)
            throw SystemError(call: "open", code: EPERM)
        }
        return (descriptor, DirectoryCredentials(user: status.st_uid, group: status.st_gid))
    }

    private static func lookUp(_ path: String) throws(SystemError) -> Int32 {
        try check("open") { Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
    }

    private static func make(_ path: String) throws(SystemError) {
        do {
            try check("mkdir") { mkdir(path, 0o755) }
        } catch {
            guard error.code == EEXIST else { throw error }
        }
    }

    /// The whole content of a file in an open directory of ours; nil where there is no such file.
    /// - Parameter largest: in bytes; a larger one was not written by us.
    /// - Throws: it is not ours to trust: a symbolic link (ELOOP), somebody else's (EPERM), not a regular file or too
    ///   large (EINVAL); or it cannot be read.
    static func read(_ name: String, in directory: OpenDirectory, largest: Int) throws(SystemError)
        -> [UInt8]?
    {
        try readOwned(name, in: directory, largest: largest)?.content
    }

    /// The same, and to whom the file belongs.
    static func readOwned(
        _ name: String, in directory: OpenDirectory, largest: Int
    ) throws(SystemError) -> (content: [UInt8], owner: uid_t)? {
        guard let (descriptor, status) = try open(name, in: directory, largest: largest) else { return nil }
        defer { close(descriptor) }
        return (try WholeFile.bytes(descriptor, status, largest: largest), status.st_uid)
    }

    /// The same file, yet to be read, and what it was when it was opened (fstat(2)).
    /// - Returns: a descriptor that the caller closes.
    static func open(
        _ name: String, in directory: OpenDirectory, largest: Int
    ) throws(SystemError) -> (descriptor: Int32, status: stat)? {
        let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let descriptor: Int32
        do throws(SystemError) {
            descriptor = try directory.owner.act { () throws(SystemError) in
                try check("openat") { openat(directory.descriptor, name, flags) }
            }
        } catch  where error.code == ENOENT { return nil }
        do throws(SystemError) {
            return (descriptor, try trusted(descriptor, in: directory, largest: largest))
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// What an open file is (fstat(2)), if it is ours to trust: a regular one, of this user, root or him to whom the
    /// directory belongs, and not too large.
    static func trusted(
        _ descriptor: Int32, in directory: OpenDirectory, largest: Int
    ) throws(SystemError) -> stat {
        var status = stat()
        try check("fstat") { fstat(descriptor, &status) }
        let owner = status.st_uid
        guard owner == UserAccount.ofProcess || owner == 0 || owner == directory.owner.user else {
            throw SystemError(call: "openat", code: EPERM)
        }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= largest else {
            throw SystemError(call: "openat", code: EINVAL)
        }
        return status
    }

    static func isTrusted(owner: uid_t, mode: mode_t) -> Bool {
        if owner == UserAccount.ofProcess { return true }
        return mode & (S_IWGRP | S_IWOTH) == 0 && (owner == 0 || DirectoryCredentials.isService(owner))
    }
}
