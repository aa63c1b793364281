import Glibc

/// A directory of this program, such as `/run/wifi-toggler`, that is open and was checked
/// (``init(_:making:)``). It is closed with the last reference to it.
final class OpenDirectory: Sendable {
    let descriptor: Int32
    /// The owner, whose rights file operations in the directory use.
    let owner: DirectoryCredentials

    /// Opens the directory. It must not be a symbolic link. Its owner must be the user of this process, root
    /// or the service's own user. If it belongs to another user than that of this process, its group and
    /// others must not be able to write to it (EPERM).
    /// - Parameter making: whether to create a missing directory (mode 0755). Otherwise it is an error
    ///   (ENOENT).
    init(_ path: String, making: Bool) throws(SystemError) {
        (descriptor, owner) = try Self.opened(path, making: making)
    }

    deinit { close(descriptor) }

    /// Opens and checks the directory as the initialiser does.
    /// - Returns: a descriptor that the caller closes.
    static func descriptor(of path: String, making: Bool = true) throws(SystemError) -> Int32 {
        try opened(path, making: making).descriptor
    }

    private static func opened(
        _ path: String, making: Bool
    ) throws(SystemError) -> (descriptor: Int32, owner: DirectoryCredentials) {
        let descriptor: Int32
        do {
            descriptor = try lookUp(path)
        } catch  where making && error.code == ENOENT {
            try make(path)
            descriptor = try lookUp(path)
        }
        return try closingOnError(descriptor) { () throws(SystemError) in
            let status = try status(of: descriptor)
            guard isTrusted(owner: status.st_uid, mode: status.st_mode) else {
                throw SystemError(call: "open", code: EPERM)
            }
            return (descriptor, DirectoryCredentials(user: status.st_uid, group: status.st_gid))
        }
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

    static func isTrusted(owner: uid_t, mode: mode_t) -> Bool {
        if owner == UserAccount.ofProcess { return true }
        return mode & (S_IWGRP | S_IWOTH) == 0 && (owner == 0 || DirectoryCredentials.isService(owner))
    }

    // MARK: Its files

    /// The whole content of a file in the directory; nil if there is no such file.
    /// - Parameters:
    ///   - largest: the size limit in bytes; this program writes no larger file.
    ///   - asOwner: whether to act as the directory's owner.
    /// - Throws: the file cannot be read, or is not trusted: a symbolic link (ELOOP), owned by another user
    ///   (EPERM), not a regular file or too large (EINVAL).
    func read(_ name: String, largest: Int, asOwner: Bool = true) throws(SystemError) -> [UInt8]? {
        guard let (descriptor, status) = try open(name, largest: largest, asOwner: asOwner) else {
            return nil
        }
        defer { close(descriptor) }
        return try SmallFile.content(descriptor, status, largest: largest)
    }

    /// Opens a file in the directory for reading, with the checks of `read`, and returns its state at that
    /// time (fstat(2)); nil if there is no such file.
    /// - Returns: a descriptor that the caller closes.
    func open(
        _ name: String, largest: Int, asOwner: Bool = true
    ) throws(SystemError) -> (descriptor: Int32, status: stat)? {
        let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let open = { () throws(SystemError) in try check("openat") { openat(self.descriptor, name, flags) } }
        let file: Int32
        do throws(SystemError) { file = try asOwner ? owner.act(open) : open() } catch
            where error.code == ENOENT
        { return nil }
        return try closingOnError(file) { () throws(SystemError) in
            (file, try trusted(file, largest: largest))
        }
    }

    /// The state of an open file (fstat(2)).
    /// - Throws: the file is not trusted: not owned by this user, root or the owner of the directory (EPERM),
    ///   not a regular file or too large (EINVAL).
    func trusted(_ file: Int32, largest: Int) throws(SystemError) -> stat {
        let status = try status(of: file)
        let user = status.st_uid
        guard user == UserAccount.ofProcess || user == 0 || user == owner.user else {
            throw SystemError(call: "openat", code: EPERM)
        }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= largest else {
            throw SystemError(call: "openat", code: EINVAL)
        }
        return status
    }
}
