import Glibc

/// A file of ours that is written at its end, a whole record at a time, and that outlives the process and the
/// machine's power. It never grows beyond a bound: then it becomes `NAME.old` in place of an earlier one, and a new one
/// is begun. So what was written last is there, as much of it as one file holds, at least.
///
/// Several processes may write at a time: a record goes out in one write(2) behind all others (O_APPEND), and who
/// turns the file over holds its lock (flock(2)). Every record has to tell its own begin and end: a power cut may leave
/// half of the last one.
public struct RotatingFile: Sendable {
    private let directory: OwnedDirectory
    private let name: String
    private let largest: Int

    private static let oldSuffix = ".old"
    /// Others may turn it over meanwhile, each of them with a whole file's worth of records.
    private static let mostAttempts = 4

    /// - Parameters:
    ///   - name: one component, no directories.
    ///   - largest: of one of the two files, in bytes.
    public init(_ name: String, in directory: OwnedDirectory, largest: Int) {
        self.name = name
        self.directory = directory
        self.largest = largest
    }

    public init(_ name: String, in directory: String, largest: Int) {
        self.init(name, in: OwnedDirectory(directory), largest: largest)
    }

    public var path: String { "\(directory.path)/\(name)" }

    /// Writes a record behind all others. The directory and the file (mode 0600) are made where they are missing. It is
    /// on the disk when the system sees fit, or after ``sync()``.
    /// - Throws: it cannot be written, or is not ours to write: a symbolic link (ELOOP), no regular file (EINVAL, ENXIO),
    ///   somebody else's or with a second name (EPERM).
    public func append(_ record: [UInt8]) throws(SystemError) {
        let place = try directory.open()
        // By root, too, with the rights of the user alone to whom the directory belongs.
        let descriptor = try place.owner.act { () throws(SystemError) in
            try file(withRoomFor: record.count, in: place)
        }
        defer { close(descriptor) }
        let count = try checkCount("write") { Glibc.write(descriptor, record, record.count) }
        guard count == record.count else { throw SystemError(call: "write", code: ENOSPC) }
    }

    /// Waits until all that was written is on the disk, the name of a new file too (fdatasync(2)), which takes longer than
    /// all else.
    public func sync() throws(SystemError) {
        let place = try directory.open(making: false)
        let descriptor = try open(O_RDONLY, in: place).descriptor
        defer { close(descriptor) }
        try check("fdatasync") { fdatasync(descriptor) }
        try check("fsync") { fsync(place.descriptor) }
    }

    /// What is in the old file and in the new one, in this order; empty where there is neither.
    /// - Throws: one of them is not ours to trust, or cannot be read.
    public func read() throws(SystemError) -> [UInt8] {
        let place: OpenDirectory
        do { place = try directory.open(making: false) } catch  where error.code == ENOENT { return [] }
        let old = try TrustedDirectory.read(name + Self.oldSuffix, in: place, largest: mostRead) ?? []
        return try old + (TrustedDirectory.read(name, in: place, largest: mostRead) ?? [])
    }

    /// The same as it is at this moment, to be read piece by piece.
    /// - Throws: one of the two files is not ours to trust, or cannot be opened.
    public func reading() throws(SystemError) -> RotatingFileReader {
        let directory: OpenDirectory
        do { directory = try self.directory.open(making: false) } catch  where error.code == ENOENT {
            return RotatingFileReader([])
        }
        for _ in 1...Self.mostAttempts {
            // The new one first: turned over in between, it is there once more as the old one, and nothing is missed.
            let new = try TrustedDirectory.open(name, in: directory, largest: mostRead)
            let reading = RotatingFileReader([new].compactMap(\.self))
            if let old = try TrustedDirectory.open(name + Self.oldSuffix, in: directory, largest: mostRead) {
                guard reading.begin(with: old) else { continue }
            }
            return reading
        }
        throw SystemError(call: "openat", code: EAGAIN)
    }

    /// The bound may have been a larger one, and the last record may have gone beyond it.
    private var mostRead: Int { largest * 2 }

    /// The end of the new file, no more bytes than that; empty where there is none.
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

    /// The names of such files in a directory, without a suffix that all of them have, sorted.
    public static func names(in directory: String, suffix: String, atMost most: Int) -> [String] {
        let names = DirectoryListing.of(directory, atMost: most).compactMap { name in
            [suffix, suffix + oldSuffix].first(where: name.hasSuffix).map { String(name.dropLast($0.count)) }
        }
        return Set(names.filter { !$0.isEmpty }).sorted()
    }

    // MARK: Turning over

    private func file(withRoomFor count: Int, in directory: OpenDirectory) throws(SystemError) -> Int32 {
        for _ in 1...Self.mostAttempts {
            let (descriptor, size) = try open(O_WRONLY | O_APPEND | O_CREAT, in: directory)
            do throws(SystemError) {
                if Int(size) + count <= largest || size == 0 { return descriptor }
                try turnOver(descriptor, in: directory.descriptor)
            } catch {
                close(descriptor)
                throw error
            }
            close(descriptor)
        }
        throw SystemError(call: "renameat", code: EAGAIN)
    }

    /// Unless somebody else has: who comes second would put a file of a few records in place of the old one.
    func turnOver(_ descriptor: Int32, in directory: Int32) throws(SystemError) {
        try check("flock") { flock(descriptor, LOCK_EX) }
        var current = stat()
        let ours = try status(descriptor)
        guard fstatat(directory, name, &current, AT_SYMLINK_NOFOLLOW) == 0, current.st_ino == ours.st_ino
        else {
            return
        }
        try check("renameat") { renameat(directory, name, directory, name + Self.oldSuffix) }
    }

    /// - Returns: and how long it is, in bytes.
    func open(
        _ flags: Int32, in directory: OpenDirectory
    ) throws(SystemError) -> (descriptor: Int32, size: off_t) {
        let all = flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        let descriptor = try check("openat") { openat(directory.descriptor, name, all, 0o600) }
        do throws(SystemError) {
            let status = try status(descriptor)
            guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError(call: "openat", code: EINVAL) }
            let owner = status.st_uid
            let isOurs = owner == UserAccount.ofProcess || owner == 0 || owner == directory.owner.maker
            guard isOurs, status.st_nlink <= 1 else {
                throw SystemError(call: "openat", code: EPERM)
            }
            return (descriptor, status.st_size)
        } catch {
            close(descriptor)
            throw error
        }
    }

    private func status(_ descriptor: Int32) throws(SystemError) -> stat {
        var status = stat()
        try check("fstat") { fstat(descriptor, &status) }
        return status
    }
}
