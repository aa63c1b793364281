import Glibc

/// A file that survives the process and power cuts, such as those in `/var/lib/wifi-toggler`.
public struct StateFile: Sendable {
    /// A larger file is not from this program.
    static let largest = 1 << 16
    /// The smallest sector of any disk, in bytes: a write of at most that from the start of a file is atomic,
    /// even if the process is killed or the power fails. Halves of two contents could form a number that
    /// neither had.
    static let oneStep = 512

    private let directory: TrustedDirectory
    private let name: String

    /// - Parameter name: one component, no directories.
    public init(_ name: String, in directory: TrustedDirectory) {
        self.name = name
        self.directory = directory
    }

    public init(_ name: String, in directory: String) { self.init(name, in: TrustedDirectory(directory)) }

    public var path: String { "\(directory.path)/\(name)" }

    /// The whole content; nil if there is no such file.
    /// - Throws: it cannot be trusted: a symbolic link (ELOOP), another user's (EPERM), not a regular file or
    ///   larger than 64 KiB (EINVAL); or it cannot be read.
    public func read() throws(SystemError) -> [UInt8]? {
        let place: OpenDirectory
        do { place = try directory.open(making: false) } catch  where error.code == ENOENT { return nil }
        return try place.read(name, largest: Self.largest)
    }

    /// Replaces it atomically, even if the power fails meanwhile (fsync(2), renameat(2)). Creates the
    /// directory if it is missing.
    /// - Parameter outlivesPower: wait until it is on the disk, which takes longer than all else. Without
    ///   that the system writes it when it likes, and after a power cut the content may be older, or half.
    /// - Throws: it cannot be written.
    public func write(_ bytes: [UInt8], mode: mode_t = 0o600, outlivesPower: Bool = true) throws(SystemError)
    {
        let place = try directory.open()
        try place.owner.act { () throws(SystemError) in
            if !outlivesPower, writeOver(bytes, mode, in: place) { return }
            try replace(bytes, mode, in: place.descriptor, syncs: outlivesPower)
        }
    }

    /// Overwrites the existing content if that is atomic, too: at most a sector, and not shorter than before.
    /// This allocates nothing, and writes nothing out at once, as ext4 does for a file that replaces another
    /// (auto_da_alloc, ext4(5)), which cost a tenth of a bounce.
    /// - Returns: false: it has to be replaced; its content may be incomplete by now.
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

    /// Why files cannot be kept in a directory, as a clause; nil: they can, or the directory is still to be
    /// created. For a user without the right to write there, only a read-only file system counts as a
    /// problem.
    public static func problem(ofDirectory directory: String) -> String? {
        do throws(SystemError) {
            close(try OpenDirectory.descriptor(of: directory, making: false))
        } catch {
            switch error.code {
            case ENOENT: return nil
            case EPERM: return "\(directory) belongs to somebody else, or others can write it"
            case ELOOP, ENOTDIR: return "\(directory) is no directory, or a symbolic link"
            // Another user need not be able to see it.
            case EACCES where UserAccount.ofProcess != 0: return nil
            default: return "\(directory): \(error.description)"
            }
        }
        guard access(directory, W_OK) != 0, errno == EROFS || UserAccount.ofProcess == 0 else { return nil }
        return "\(directory): \(SystemError(call: "access", code: errno).description)"
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
