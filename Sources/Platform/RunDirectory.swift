import Glibc

/// A directory of ours, such as `/run/wifi-toggler`, that nobody else can have prepared.
enum RunDirectory {
    /// Opens the directory, and makes it (mode 0755) where it is missing. No symbolic link is followed to
    /// it, it must belong to us or to root, and, unless it is ours, be writable by no one else.
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

    static func isTrusted(owner: uid_t, mode: mode_t) -> Bool {
        owner == geteuid() || owner == 0 && mode & (S_IWGRP | S_IWOTH) == 0
    }
}
