import CLinux
import Glibc

/// A file that survives restarts and power cuts, such as those in `/var/lib/wifi-toggler`.
public struct StateFile: Sendable {
    /// The largest file that is read, in bytes. This program writes none that is larger.
    static let largest = 1 << 16
    /// The size of the smallest disk sectors, in bytes. A write of at most this size at the start of a file
    /// is atomic, even if the process is killed or the power fails. A longer write could leave a mixture of
    /// the old and the new content.
    static let oneStep = 512

    private let directory: TrustedDirectory
    private let name: String

    /// - Parameter name: a file name without directories.
    public init(_ name: String, in directory: TrustedDirectory) {
        self.name = name
        self.directory = directory
    }

    public init(_ name: String, in directory: String) { self.init(name, in: TrustedDirectory(directory)) }

    public var path: String { "\(directory.path)/\(name)" }

    public var isThere: Bool { access(path, F_OK) == 0 }

    /// Whether both are the same file at present: two paths may lead to one directory.
    public func isSame(as other: StateFile) -> Bool {
        var (ours, theirs) = (stat(), stat())
        return lstat(path, &ours) == 0 && lstat(other.path, &theirs) == 0 && ours.st_dev == theirs.st_dev
            && ours.st_ino == theirs.st_ino
    }

    /// Removes the file. Errors are ignored.
    public func remove() {
        guard let place = try? directory.open(making: false) else { return }
        _ = try? place.owner.act { _ = unlinkat(place.descriptor, name, 0) }
    }

    /// The whole content; nil if there is no such file.
    /// - Throws: the file cannot be read, or is not trusted: a symbolic link (ELOOP), owned by another user
    ///   (EPERM), not a regular file or larger than 64 KiB (EINVAL).
    public func read() throws(SystemError) -> [UInt8]? {
        let place: OpenDirectory
        do { place = try directory.open(making: false) } catch  where error.code == ENOENT { return nil }
        return try place.read(name, largest: Self.largest)
    }

    /// Replaces the content atomically. Creates the directory if it does not exist.
    /// - Parameter outlivesPower: whether to wait until the content is on the disk before it replaces the old
    ///   content (fsync(2), renameat(2)), which is slow. The file then has the old or the new content
    ///   after a power cut. Otherwise, its content after a power cut may be old or incomplete.
    /// - Throws: the file cannot be written.
    public func write(_ bytes: [UInt8], mode: mode_t = 0o600, outlivesPower: Bool = true) throws(SystemError)
    {
        let place = try directory.open()
        try place.owner.act { () throws(SystemError) in
            if !outlivesPower, writeOver(bytes, mode, in: place) { return }
            try replace(bytes, mode, in: place.descriptor, syncs: outlivesPower)
        }
    }

    /// Overwrites the existing content if that is atomic, too: the new content must fit into a sector, and
    /// must not be shorter than the old. This allocates nothing on the disk. Also, ext4 would write a
    /// replaced file to the disk at once (auto_da_alloc, ext4(5)), which took a tenth of the time of a
    /// bounce.
    /// - Returns: false if the file must be replaced instead. Its content may be incomplete then.
    private func writeOver(_ bytes: [UInt8], _ mode: mode_t, in directory: OpenDirectory) -> Bool {
        guard bytes.count <= Self.oneStep else { return false }
        let flags = O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        let descriptor = openat(directory.descriptor, name, flags)
        guard descriptor != -1 else { return false }
        defer { close(descriptor) }
        guard let status = try? directory.trusted(descriptor, largest: bytes.count),
            status.st_size > 0, status.st_nlink == 1, status.st_mode & ~S_IFMT == mode
        else { return false }
        return pwrite(descriptor, bytes, bytes.count, 0) == bytes.count
    }

    private func replace(
        _ bytes: [UInt8], _ mode: mode_t, in directory: Int32, syncs: Bool
    ) throws(SystemError) {
        let fresh = name + ".new"
        do {
            try Self.write(bytes, to: fresh, mode, in: directory, syncs: syncs)
            try check("renameat") { renameat(directory, fresh, directory, name) }
        } catch {
            unlinkat(directory, fresh, 0)
            throw error
        }
    }

    /// Why no files can be stored in a directory, as a clause; nil if they can, or if the directory does not
    /// exist yet. Missing write permission counts only for root; a read-only file system counts for every
    /// user.
    public static func problem(ofDirectory directory: String) -> String? {
        do throws(SystemError) {
            let opened = try OpenDirectory(directory, making: false)
            // Root acts with the owner's rights in the directory.
            let mode = try status(of: opened.descriptor).st_mode
            if opened.owner.isStandIn, mode & S_IRWXU != S_IRWXU {
                return "\(directory): its mode does not let its owner use it (see 'ls -ld')"
            }
        } catch {
            switch error.code {
            case ENOENT: return nil
            case EPERM: return "\(directory) belongs to another user, or others can write to it"
            case ELOOP, ENOTDIR: return "\(directory) is no directory, or a symbolic link"
            // A user other than root need not be able to see the directory.
            case EACCES where UserAccount.ofProcess != 0: return nil
            default: return "\(directory): \(error.description)"
            }
        }
        guard access(directory, W_OK) != 0, errno == EROFS || UserAccount.ofProcess == 0 else { return nil }
        return "\(directory): \(SystemError(call: "access", code: errno).description)"
    }

    /// Whether a reboot may undo what is written into a directory: its file system is in memory (tmpfs or
    /// ramfs), or an overlay, whose upper layer may be in memory (statfs(2), linux/magic.h). A directory that
    /// does not exist is judged by the one in which it would be made.
    public static func isVolatile(_ directory: String) -> Bool {
        var (path, status) = (directory, CLinux.statfs())
        while statfs(path, &status) != 0 {
            guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
                return false
            }
            path.removeSubrange(slash...)
        }
        return [UInt32(TMPFS_MAGIC), UInt32(RAMFS_MAGIC), UInt32(OVERLAYFS_SUPER_MAGIC)]
            .contains(UInt32(truncatingIfNeeded: status.f_type))
    }

    private static func write(
        _ bytes: [UInt8], to name: String, _ mode: mode_t, in directory: Int32, syncs: Bool
    ) throws(SystemError) {
        let flags = O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let descriptor = try check("openat") { openat(directory, name, flags, mode) }
        defer { close(descriptor) }
        let count = try checkCount("write") { Glibc.write(descriptor, bytes, bytes.count) }
        guard count == bytes.count else { throw SystemError(call: "write", code: ENOSPC) }
        if syncs { try check("fsync") { fsync(descriptor) } }
    }
}
