import CLinux
import Glibc
import Synchronization

/// The record of a bounce under way: `DIRECTORY/INTERFACE.intent` while the link is kept down,
/// `DIRECTORY/INTERFACE.settling` while it is up and what it lost is being restored.
///
/// Only the process that has the interface's lock, and a process that inherited it, touches the file.
///
/// In the directory of the service's user root's records belong to root, so that root can recognise them. That user may
/// give them other names (rename(2), link(2)): root keeps a record open, and empties it before it removes it.
public final class IntentFile: Sendable {
    /// How far the bounce has come, as the file's name says.
    public enum Stage: String, Sendable, CaseIterable {
        case held = "intent"
        case settling
    }

    /// Larger records are invalid: a hundred thousand routes need about 20 MB.
    private static let largest = 64 << 20

    private let place: OpenDirectory
    private let interface: String
    /// This process has renamed the record to its second name: the first one does not exist any more.
    private let isSettled = Atomic<Bool>(false)
    /// Root's record in the directory of another user, or what was read; -1: none.
    private let opened = Atomic<Int32>(-1)

    private var openDirectory: Int32 { place.descriptor }
    private var owner: DirectoryCredentials { place.owner }

    /// The directory, to be kept open by a process that is forked to finish the bounce.
    public var descriptor: Int32 { openDirectory }

    /// The record that is kept open (``prepare()``), for the same process; -1: none.
    public var recordDescriptor: Int32 { opened.load(ordering: .relaxed) }

    /// Opens the directory, which must exist; no record is made yet.
    public init(interface: String, in openDirectory: TrustedDirectory) throws(SystemError) {
        let isName = !interface.isEmpty && !interface.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
        guard isName else { throw SystemError(call: "openat", code: EINVAL) }
        place = try openDirectory.open(making: false)
        self.interface = interface
    }

    deinit { closeRecord() }

    public convenience init(interface: String, directory: String) throws(SystemError) {
        try self.init(interface: interface, in: TrustedDirectory(directory))
    }

    /// Whether there is a record, whoever made it.
    public static func isThere(for interface: String, in openDirectory: TrustedDirectory) -> Bool {
        Stage.allCases.contains { access("\(openDirectory.path)/\(interface).\($0.rawValue)", F_OK) == 0 }
    }

    /// For a process that is about to give up privileges: it can still reach the record.
    public func keepReach() { owner.keepActing() }

    /// Before the fork of a process that may have to remove the record: makes root's record in the directory of another
    /// user, still without a name (O_TMPFILE, open(2)), so that both processes have it open. On a file system that
    /// cannot do this, only the process that writes the record has it open.
    public func prepare() {
        guard owner.isStandIn, recordDescriptor == -1 else { return }
        opened.store(
            openat(openDirectory, ".", open_unnamed | O_WRONLY | O_CLOEXEC, 0o644), ordering: .relaxed)
    }

    /// Writes the record of a bounce that is about to begin; replaces an older one of this interface. Leaves
    /// nothing behind if it fails.
    /// - Throws: the file cannot be written.
    public func write(_ record: [UInt8]) throws(SystemError) {
        isSettled.store(false, ordering: .relaxed)
        guard !owner.isStandIn else { return try writeForOther(record) }
        let descriptor = try create(O_TRUNC, mode: 0o600)
        defer { close(descriptor) }
        do throws(SystemError) { try writeWhole(record, to: descriptor) } catch {
            remove()
            throw error
        }
    }

    /// Root's record, which the owner of the directory may read.
    private func writeForOther(_ record: [UInt8]) throws(SystemError) {
        removeNames()
        let mode: mode_t = 0o644
        let isPrepared = recordDescriptor != -1
        if !isPrepared { opened.store(try create(O_EXCL, mode: mode), ordering: .relaxed) }
        let descriptor = recordDescriptor
        do throws(SystemError) {
            // Independent of the umask.
            try check("fchmod") { fchmod(descriptor, mode) }
            try writeWhole(record, to: descriptor)
            if isPrepared {
                let place = "/proc/self/fd/\(descriptor)"
                try check("linkat") { linkat(AT_FDCWD, place, openDirectory, name(.held), AT_SYMLINK_FOLLOW) }
            }
        } catch {
            remove()
            throw error
        }
    }

    private func create(_ fresh: Int32, mode: mode_t) throws(SystemError) -> Int32 {
        let flags = O_CREAT | fresh | O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        return try check("openat") { openat(openDirectory, name(.held), flags, mode) }
    }

    /// The record that an interrupted bounce left, with its stage; nil: there is none.
    /// - Returns: `owner`: the user who has written it.
    /// - Throws: it cannot be read, or is not a trusted regular file (EPERM, EINVAL).
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
            // Closed with the file.
            file.opened.store(descriptor, ordering: .relaxed)
            let content = try SmallFile.content(descriptor, status, largest: largest)
            return (file, stage, content, status.st_uid)
        }
        return nil
    }

    /// What was read is a whole record: if it is root's in the directory of another user, ``remove()`` empties it as well.
    /// Nothing else may be emptied: that user may have put a link to another file of root's here.
    public func confirm() {
        let found = recordDescriptor
        guard owner.isStandIn, found != -1, (try? status(of: found))?.st_uid == 0 else { return }
        // The same file, whatever has its name now.
        let flags = O_WRONLY | O_CLOEXEC | O_NONBLOCK
        opened.store(Glibc.open("/proc/self/fd/\(found)", flags), ordering: .relaxed)
        close(found)
    }

    /// The interfaces with a record, sorted by name.
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
            // Compares bytes: in a String a name's last character and the full stop may be one Character.
            for stage in Stage.allCases {
                let ending = Array(".\(stage.rawValue)".utf8)
                guard name.count > ending.count, name.suffix(ending.count) == ending[...] else { continue }
                names.insert(String(decoding: name.dropLast(ending.count), as: UTF8.self))
            }
        }
        return names.sorted()
    }

    /// The link is up: what it lost is still to be restored (renameat(2)).
    public func settle() {
        _ = try? owner.act { () throws(SystemError) in
            try check("renameat") { renameat(openDirectory, name(.held), openDirectory, name(.settling)) }
            isSettled.store(true, ordering: .relaxed)
        }
    }

    /// The bounce is over.
    public func remove() {
        // Whatever name it has by now. What is only open for reading is left as it is.
        if recordDescriptor != -1 { ftruncate(recordDescriptor, 0) }
        closeRecord()
        removeNames()
    }

    private func closeRecord() {
        let descriptor = opened.exchange(-1, ordering: .relaxed)
        if descriptor != -1 { close(descriptor) }
    }

    private func removeNames() {
        try? owner.act { () throws(SystemError) in
            if !isSettled.load(ordering: .relaxed) { unlinkat(openDirectory, name(.held), 0) }
            unlinkat(openDirectory, name(.settling), 0)
        }
    }

    private func name(_ stage: Stage) -> String { interface + "." + stage.rawValue }
}
