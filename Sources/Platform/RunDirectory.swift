import Glibc

/// A directory of ours, such as `/run/wifi-toggler`, that nobody else can have prepared.
enum RunDirectory {
    /// Opens the directory, and makes it (mode 0755) where it is missing. No symbolic link is followed to
    /// it, it must belong to us, to root or to the service's own user, and, unless it is ours, be writable by no one
    /// else. What is done in it is done by its ``DirectoryOwner``.
    /// - Parameter making: false: a directory that is missing is an error (ENOENT).
    /// - Returns: a descriptor that the caller closes.
    static func open(_ path: String, making: Bool = true) throws(SystemError) -> Int32 {
        if making {
            do {
                try check("mkdir") { mkdir(path, 0o755) }
            } catch {
                guard error.code == EEXIST else { throw error }
            }
        }
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        let descriptor = try check("open") { Glibc.open(path, flags) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, isTrusted(owner: status.st_uid, mode: status.st_mode) else {
            close(descriptor)
            throw SystemError(call: "open", code: EPERM)
        }
        return descriptor
    }

    /// The whole content of a file in an open directory of ours; nil where there is no such file.
    /// - Parameter largest: in octets; a larger one was not written by us.
    /// - Throws: it is not ours to trust: a symbolic link (ELOOP), somebody else's (EPERM), not a regular file or too
    ///   large (EINVAL); or it cannot be read.
    static func read(_ name: String, in folder: Int32, largest: Int) throws(SystemError) -> [UInt8]? {
        try readOwned(name, in: folder, largest: largest)?.content
    }

    /// The same, and to whom the file belongs.
    static func readOwned(
        _ name: String, in folder: Int32, largest: Int
    ) throws(SystemError) -> (content: [UInt8], owner: uid_t)? {
        guard let (descriptor, status) = try open(name, in: folder, largest: largest) else { return nil }
        defer { close(descriptor) }
        var content: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while content.count <= largest {
            let count = try checkCount("read") { Glibc.read(descriptor, &part, part.count) }
            if count == 0 { break }
            content += part[..<count]
        }
        return (content, status.st_uid)
    }

    /// The same file, yet to be read, and what it was when it was opened (fstat(2)).
    /// - Returns: a descriptor that the caller closes.
    static func open(
        _ name: String, in folder: Int32, largest: Int
    ) throws(SystemError) -> (descriptor: Int32, status: stat)? {
        let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let descriptor: Int32
        do throws(SystemError) {
            descriptor = try DirectoryOwner(of: folder).act { () throws(SystemError) in
                try check("openat") { openat(folder, name, flags) }
            }
        } catch  where error.code == ENOENT { return nil }
        do throws(SystemError) {
            return (descriptor, try trusted(descriptor, in: folder, largest: largest))
        } catch {
            close(descriptor)
            throw error
        }
    }

    private static func trusted(
        _ descriptor: Int32, in folder: Int32, largest: Int
    ) throws(SystemError) -> stat {
        var status = stat()
        try check("fstat") { fstat(descriptor, &status) }
        let owner = try DirectoryOwner(of: folder).user
        guard [geteuid(), 0, owner].contains(status.st_uid) else {
            throw SystemError(call: "openat", code: EPERM)
        }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= largest else {
            throw SystemError(call: "openat", code: EINVAL)
        }
        return status
    }

    static func isTrusted(owner: uid_t, mode: mode_t) -> Bool {
        if owner == geteuid() { return true }
        return mode & (S_IWGRP | S_IWOTH) == 0 && (owner == 0 || DirectoryOwner.isService(owner))
    }
}
