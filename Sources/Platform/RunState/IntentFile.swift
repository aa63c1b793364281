import CLinux
import Glibc
import Synchronization

/// The record of a bounce under way. It is `DIRECTORY/INTERFACE.intent` while the link is kept down, and
/// `DIRECTORY/INTERFACE.settling` while the link is up and lost items are being restored.
///
/// Only two processes change the file: the one that has the interface's lock, and one that has inherited the
/// lock.
///
/// Root may write a record into a directory of the service's user. Such a record belongs to root, so that
/// root can recognise it later. The service's user can still rename or link it (rename(2), link(2));
/// therefore root keeps the record open, and empties it before removing it.
public final class IntentFile: Sendable {
    /// How far the bounce has got. The suffix of the file's name is the raw value.
    public enum Stage: String, Sendable, CaseIterable {
        case keptDown = "intent"
        case settling
    }

    /// The largest valid record, in bytes. A hundred thousand routes need about 20 MB.
    private static let largest = 64 << 20

    private let place: OpenDirectory
    private let interface: String
    /// Whether this process has renamed the record to its second name, so that the first name no longer
    /// exists.
    private let isSettled = Atomic<Bool>(false)
    /// The descriptor of root's record in the directory of another user, or of the record that was read; -1
    /// if there is none.
    private let opened = Atomic<Int32>(-1)

    private var openDirectory: Int32 { place.descriptor }
    private var owner: DirectoryCredentials { place.owner }

    /// The descriptor of the directory. A process that is forked to finish the bounce must keep it open.
    public var descriptor: Int32 { openDirectory }

    /// The descriptor of the record that is kept open (``prepare()``). The forked process must keep it open,
    /// too. -1 if there is none.
    public var recordDescriptor: Int32 { opened.load(ordering: .relaxed) }

    /// Opens the directory, which must exist. Creates no record.
    /// - Throws: the directory cannot be opened, or the name of the interface is invalid (EINVAL).
    public init(interface: String, in directory: TrustedDirectory) throws(SystemError) {
        let isName = !interface.isEmpty && !interface.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
        guard isName else { throw SystemError(call: "openat", code: EINVAL) }
        place = try directory.open(making: false)
        self.interface = interface
    }

    deinit { closeRecord() }

    public convenience init(interface: String, directory: String) throws(SystemError) {
        try self.init(interface: interface, in: TrustedDirectory(directory))
    }

    /// Whether there is a record for an interface, whoever wrote it.
    public static func isThere(for interface: String, in directory: TrustedDirectory) -> Bool {
        Stage.allCases.contains { access("\(directory.path)/\(interface).\($0.rawValue)", F_OK) == 0 }
    }

    /// Makes sure that this process can access the record after it has given up privileges.
    public func keepReach() { owner.keepActing() }

    /// Creates root's record in the directory of another user, without a name yet (O_TMPFILE, open(2)). Call
    /// this before forking a process that may have to remove the record: both processes then have it open. If
    /// the file system does not support this, only the process that writes the record has it open.
    public func prepare() {
        guard owner.isStandIn, recordDescriptor == -1 else { return }
        opened.store(
            openat(openDirectory, ".", open_unnamed | O_WRONLY | O_CLOEXEC, 0o644), ordering: .relaxed)
    }

    /// Writes the record before a bounce begins. Replaces an older one of this interface. Leaves no file
    /// behind if it fails.
    /// - Parameter isPublic: whether every user may read it.
    /// - Throws: the file cannot be written.
    public func write(_ record: [UInt8], isPublic: Bool = false) throws(SystemError) {
        isSettled.store(false, ordering: .relaxed)
        if owner.isStandIn { removeNames() }
        try write(record, as: name(.keptDown), isPublic: isPublic)
    }

    /// Replaces the record of a bounce under way by another one (renameat(2)). At every moment, one of the
    /// two is there under its name, even if this fails.
    /// - Parameter isPublic: whether every user may read it.
    /// - Throws: the file cannot be written.
    public func replace(with record: [UInt8], isPublic: Bool) throws(SystemError) {
        // A process that was killed in this function may have left a successor.
        removeName(successor)
        try write(record, as: successor, isPublic: isPublic)
        do throws(SystemError) {
            try owner.act { () throws(SystemError) in
                try check("renameat") {
                    renameat(openDirectory, successor, openDirectory, name(.keptDown))
                }
            }
        } catch {
            discard(successor)
            throw error
        }
    }

    /// Lets go of the record, which ``replace(with:isPublic:)`` of another object has replaced. If the
    /// interface was renamed meanwhile, the two records have different names, and this one is removed.
    public func wasReplaced(by other: IntentFile) {
        interface == other.interface ? empty() : remove()
    }

    /// Empties root's record, under whichever name another user has linked it, and closes it. A record that
    /// is open only for reading keeps its content.
    private func empty() {
        if recordDescriptor != -1 { ftruncate(recordDescriptor, 0) }
        closeRecord()
    }

    private func write(_ record: [UInt8], as name: String, isPublic: Bool) throws(SystemError) {
        guard !owner.isStandIn else { return try writeForOther(record, as: name) }
        let descriptor = try create(name, O_TRUNC, mode: 0o600)
        defer { close(descriptor) }
        do throws(SystemError) {
            // The umask does not apply to fchmod(2).
            if isPublic { try check("fchmod") { fchmod(descriptor, 0o644) } }
            try writeWhole(record, to: descriptor)
        } catch {
            discard(name)
            throw error
        }
    }

    /// Writes root's record, which the owner of the directory may read.
    private func writeForOther(_ record: [UInt8], as name: String) throws(SystemError) {
        let mode: mode_t = 0o644
        let isPrepared = recordDescriptor != -1
        if !isPrepared { opened.store(try create(name, O_EXCL, mode: mode), ordering: .relaxed) }
        let descriptor = recordDescriptor
        do throws(SystemError) {
            // The umask does not apply to fchmod(2).
            try check("fchmod") { fchmod(descriptor, mode) }
            try writeWhole(record, to: descriptor)
            if isPrepared {
                let place = "/proc/self/fd/\(descriptor)"
                try check("linkat") {
                    linkat(AT_FDCWD, place, openDirectory, name, AT_SYMLINK_FOLLOW)
                }
            }
        } catch {
            discard(name)
            throw error
        }
    }

    private func create(_ name: String, _ fresh: Int32, mode: mode_t) throws(SystemError) -> Int32 {
        let flags = O_CREAT | fresh | O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        return try check("openat") { openat(openDirectory, name, flags, mode) }
    }

    /// Removes a record that could not be written.
    private func discard(_ name: String) {
        guard name != self.name(.keptDown) else { return remove() }
        empty()
        removeName(name)
    }

    private func removeName(_ name: String) {
        _ = try? owner.act { () throws(SystemError) in unlinkat(openDirectory, name, 0) }
    }

    /// Reads the record that an interrupted bounce has left; nil if there is none. `owner` is the ID of the
    /// user who wrote it.
    /// - Throws: the record cannot be read, or is not trusted (EPERM, EINVAL).
    public static func read(
        interface: String, directory: String
    ) throws(SystemError) -> (file: IntentFile, stage: Stage, record: [UInt8], owner: UInt32)? {
        let file: IntentFile
        do { file = try IntentFile(interface: interface, directory: directory) } catch
            where error.code == ENOENT
        { return nil }
        for stage in Stage.allCases {
            guard let (descriptor, status) = try file.place.open(file.name(stage), largest: largest) else {
                continue
            }
            // The descriptor is closed with `file`.
            file.opened.store(descriptor, ordering: .relaxed)
            let content = try SmallFile.content(descriptor, status, largest: largest)
            return (file, stage, content, status.st_uid)
        }
        return nil
    }

    /// The content of the record of a bounce that another process has begun; nil if there is none. Reads
    /// only what this process itself may read: does not act as the directory's owner.
    /// - Parameter largest: the size limit in bytes.
    /// - Throws: the record cannot be read, is too large or is not trusted (EPERM, EINVAL).
    public static func content(
        interface: String, directory: String, largest: Int
    ) throws(SystemError) -> [UInt8]? {
        do {
            let file = try IntentFile(interface: interface, directory: directory)
            return try file.place.read(file.name(.keptDown), largest: largest, asOwner: false)
        } catch  where error.code == ENOENT { return nil }
    }

    /// Allows ``remove()`` to empty the record that was read, if root owns the record and another user owns
    /// the directory. Call this only if the content was a valid record: that user may have put a hard link to
    /// another file of root there, which must not be emptied.
    public func confirm() {
        let found = recordDescriptor
        guard owner.isStandIn, found != -1, (try? status(of: found))?.st_uid == 0 else { return }
        // Open the same file again, whichever file has its name now.
        let flags = O_WRONLY | O_CLOEXEC | O_NONBLOCK
        opened.store(Glibc.open("/proc/self/fd/\(found)", flags), ordering: .relaxed)
        close(found)
    }

    /// The interfaces that have a record, sorted by name.
    public static func interfaces(in directory: String) throws(SystemError) -> [String] {
        let openDirectory: Int32
        do { openDirectory = try OpenDirectory.descriptor(of: directory, making: false) } catch
            where error.code == ENOENT
        {
            return []
        }
        guard let stream = fdopendir(openDirectory) else {
            close(openDirectory)
            throw SystemError(call: "fdopendir", code: errno)
        }
        defer { closedir(stream) }
        var names: Set<String> = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                Array(bytes.prefix { $0 != 0 })
            }
            // Compare bytes: in a String, the last character of the name and the full stop may be one
            // Character.
            for stage in Stage.allCases {
                let ending = Array(".\(stage.rawValue)".utf8)
                guard name.count > ending.count, name.suffix(ending.count) == ending[...] else { continue }
                names.insert(String(decoding: name.dropLast(ending.count), as: UTF8.self))
            }
        }
        return names.sorted()
    }

    /// Renames the record after the link was set up, while lost items are still to be restored (renameat(2)).
    public func settle() {
        _ = try? owner.act { () throws(SystemError) in
            try check("renameat") { renameat(openDirectory, name(.keptDown), openDirectory, name(.settling)) }
            isSettled.store(true, ordering: .relaxed)
        }
    }

    /// Removes the record at the end of the bounce.
    public func remove() {
        empty()
        removeNames()
    }

    private func closeRecord() {
        let descriptor = opened.exchange(-1, ordering: .relaxed)
        if descriptor != -1 { close(descriptor) }
    }

    private func removeNames() {
        try? owner.act { () throws(SystemError) in
            if !isSettled.load(ordering: .relaxed) { unlinkat(openDirectory, name(.keptDown), 0) }
            unlinkat(openDirectory, name(.settling), 0)
            unlinkat(openDirectory, successor, 0)
        }
    }

    private func name(_ stage: Stage) -> String { interface + "." + stage.rawValue }

    /// The name of a record that will replace the present one.
    private var successor: String { interface + ".next" }
}
