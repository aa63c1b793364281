import Glibc

/// A file of records that survives restarts and power cuts. When it reaches its limit, it is renamed to
/// `NAME.old`, in place of an earlier one, and a new file begins. So the latest records are kept, at least as
/// many as one file holds.
///
/// Several processes may write at the same time. Each record is one write(2) in append mode (O_APPEND), and
/// the process that rotates the file takes a lock (flock(2)). A record must mark its own beginning and end,
/// because a power cut may leave half of the last record.
public struct RotatingFile: Sendable {
    private let directory: TrustedDirectory
    private let name: String
    private let largest: Int

    private static let oldSuffix = ".old"
    /// The most attempts to open the file, because other processes may rotate it at the same time.
    private static let mostAttempts = 4

    /// - Parameters:
    ///   - name: a file name without directories.
    ///   - largest: the limit of each of the two files, in bytes.
    public init(_ name: String, in directory: TrustedDirectory, largest: Int) {
        self.name = name
        self.directory = directory
        self.largest = largest
    }

    public var path: String { "\(directory.path)/\(name)" }

    /// Appends a record. Creates the directory and the file (mode 0600) if they do not exist. The record
    /// reaches the disk when the system writes it, or with ``sync()``.
    /// - Throws: the record cannot be written, or the file is not trusted: a symbolic link (ELOOP), not a
    ///   regular file (EINVAL, ENXIO), owned by another user or with a second hard link (EPERM). EWOULDBLOCK:
    ///   the file would exceed twice its limit, because another process keeps it from being rotated.
    public func append(_ record: [UInt8]) throws(SystemError) {
        let place = try directory.open()
        // The owner's rights apply even if this process is root.
        let descriptor = try place.owner.act { () throws(SystemError) in
            try file(withRoomFor: record.count, in: place)
        }
        defer { close(descriptor) }
        let count = try checkCount("write") { Glibc.write(descriptor, record, record.count) }
        guard count == record.count else { throw SystemError(call: "write", code: ENOSPC) }
    }

    /// Waits until all records of both files, and their names, are on the disk (fdatasync(2), fsync(2)). This
    /// is slow.
    public func sync() throws(SystemError) {
        let place = try directory.open(making: false)
        // Open the new file first. If it is rotated in between, it is found again as the old one.
        for suffix in ["", Self.oldSuffix] {
            let descriptor: Int32
            do {
                descriptor = try open(O_RDONLY, suffix: suffix, in: place).descriptor
            } catch  where error.code == ENOENT {
                continue
            }
            defer { close(descriptor) }
            try check("fdatasync") { fdatasync(descriptor) }
        }
        try check("fsync") { fsync(place.descriptor) }
    }

    /// The content of the old file and then of the new one; empty if there is neither.
    /// - Throws: one of the files is not trusted, or cannot be read.
    public func read() throws(SystemError) -> [UInt8] { try reading().rest() }

    /// Opens both files as they are now, for reading piece by piece.
    /// - Throws: one of the files is not trusted, or cannot be opened.
    public func reading() throws(SystemError) -> RotatingFileReader {
        let directory: OpenDirectory
        do { directory = try self.directory.open(making: false) } catch  where error.code == ENOENT {
            return RotatingFileReader([])
        }
        for _ in 1...Self.mostAttempts {
            // Open the new file first. If it is rotated in between, it is found again as the old one, and no
            // record is missed.
            let new = try directory.open(name, largest: mostRead)
            let reading = RotatingFileReader([new].compactMap(\.self))
            if let old = try directory.open(name + Self.oldSuffix, largest: mostRead) {
                guard reading.begin(with: old) else { continue }
            }
            return reading
        }
        throw SystemError(call: "openat", code: EAGAIN)
    }

    /// The most bytes that are read of a file. The limit may have been larger before, and the last record may
    /// exceed it.
    private var mostRead: Int { largest * 2 }

    /// The last bytes of the new file, at most this many; empty if there is no file.
    public func tail(atMost most: Int) throws(SystemError) -> [UInt8] {
        let place: OpenDirectory
        do { place = try directory.open(making: false) } catch  where error.code == ENOENT { return [] }
        let (descriptor, size): (Int32, off_t)
        do { (descriptor, size) = try open(O_RDONLY, in: place) } catch  where error.code == ENOENT {
            return []
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: most)
        let count = try checkCount("pread") { pread(descriptor, &bytes, most, max(0, size - off_t(most))) }
        return Array(bytes[..<count])
    }

    /// The names of such files in a directory, without their suffix, sorted.
    public static func names(in directory: String, suffix: String, atMost most: Int) -> [String] {
        let names = DirectoryListing.of(directory, atMost: most).compactMap { name in
            [suffix, suffix + oldSuffix].first(where: name.hasSuffix).map { String(name.dropLast($0.count)) }
        }
        return Set(names.filter { !$0.isEmpty }).sorted()
    }

    // MARK: Rotating

    private func file(withRoomFor count: Int, in directory: OpenDirectory) throws(SystemError) -> Int32 {
        for _ in 1...Self.mostAttempts {
            let (descriptor, size) = try open(O_WRONLY | O_APPEND | O_CREAT, in: directory)
            if Int(size) + count <= largest || size == 0 { return descriptor }
            var isKept = false
            defer { if !isKept { close(descriptor) } }
            do { try turnOver(descriptor, in: directory.descriptor) } catch  where error.code == EWOULDBLOCK {
                guard Int(size) + count <= mostRead else { throw error }
                isKept = true
                return descriptor
            }
        }
        throw SystemError(call: "renameat", code: EAGAIN)
    }

    /// Rotates the file, unless another process has rotated it meanwhile. A second rotation would replace the
    /// full old file by a new one with few records.
    /// - Throws: EWOULDBLOCK: another process has the lock. This function does not wait for the lock, because
    ///   every process that may read the file can take the lock and keep it.
    func turnOver(_ descriptor: Int32, in directory: Int32) throws(SystemError) {
        try check("flock") { flock(descriptor, LOCK_EX | LOCK_NB) }
        var current = stat()
        let ours = try status(of: descriptor)
        guard fstatat(directory, name, &current, AT_SYMLINK_NOFOLLOW) == 0, current.st_ino == ours.st_ino
        else {
            return
        }
        try check("renameat") { renameat(directory, name, directory, name + Self.oldSuffix) }
    }

    /// - Parameter suffix: what follows the file's name: nothing, or ``oldSuffix`` for the old file.
    /// - Returns: the descriptor of the file, and its length in bytes.
    func open(
        _ flags: Int32, suffix: String = "", in directory: OpenDirectory
    ) throws(SystemError) -> (descriptor: Int32, size: off_t) {
        let all = flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        let descriptor = try check("openat") { openat(directory.descriptor, name + suffix, all, 0o600) }
        return try closingOnError(descriptor) { () throws(SystemError) in
            let status = try status(of: descriptor)
            guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError(call: "openat", code: EINVAL) }
            let owner = status.st_uid
            let isOurs = owner == UserAccount.ofProcess || owner == 0 || owner == directory.owner.maker
            guard isOurs, status.st_nlink <= 1 else {
                throw SystemError(call: "openat", code: EPERM)
            }
            return (descriptor, status.st_size)
        }
    }
}
