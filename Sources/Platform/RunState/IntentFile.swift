import Glibc
import Synchronization

/// The record of a bounce under way: `DIRECTORY/INTERFACE.intent` while the link is kept down,
/// `DIRECTORY/INTERFACE.settling` while it is up and what it lost is being restored.
///
/// Only the process that has the interface's lock, and a process that inherited it, touches the file.
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

    private var openDirectory: Int32 { place.descriptor }
    private var owner: DirectoryCredentials { place.owner }

    /// The directory, to be kept open by a process that is forked to finish the bounce.
    public var descriptor: Int32 { openDirectory }

    /// Opens the directory, which must exist; no record is made yet.
    public init(interface: String, in openDirectory: TrustedDirectory) throws(SystemError) {
        let isName = !interface.isEmpty && !interface.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
        guard isName else { throw SystemError(call: "openat", code: EINVAL) }
        place = try openDirectory.open(making: false)
        self.interface = interface
    }

    public convenience init(interface: String, directory: String) throws(SystemError) {
        try self.init(interface: interface, in: TrustedDirectory(directory))
    }

    /// Whether there is a record, whoever made it.
    public static func isThere(for interface: String, in openDirectory: TrustedDirectory) -> Bool {
        Stage.allCases.contains { access("\(openDirectory.path)/\(interface).\($0.rawValue)", F_OK) == 0 }
    }

    /// For a process that is about to give up privileges: it can still reach the record.
    public func keepReach() { owner.keepActing() }

    /// Writes the record of a bounce that is about to begin; replaces an older one of this interface. Leaves
    /// nothing behind if it fails.
    ///
    /// In the directory of the service's user, root's records belong to root, and the service's user may read
    /// them: so root can recognise its own records.
    /// - Throws: the file cannot be written.
    public func write(_ record: [UInt8]) throws(SystemError) {
        isSettled.store(false, ordering: .relaxed)
        if owner.isStandIn { remove() }
        let fresh = owner.isStandIn ? O_EXCL : O_TRUNC
        let flags = O_CREAT | fresh | O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let mode: mode_t = owner.isStandIn ? 0o644 : 0o600
        let descriptor = try check("openat") { openat(openDirectory, name(.held), flags, mode) }
        defer { close(descriptor) }
        // Independent of the umask.
        if owner.isStandIn { fchmod(descriptor, mode) }
        do throws(SystemError) { try writeWhole(record, to: descriptor) } catch {
            remove()
            throw error
        }
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
            let found = try file.place.readOwned(file.name(stage), largest: largest)
            if let found { return (file, stage, found.content, found.owner) }
        }
        return nil
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
        try? owner.act { () throws(SystemError) in
            if !isSettled.load(ordering: .relaxed) { unlinkat(openDirectory, name(.held), 0) }
            unlinkat(openDirectory, name(.settling), 0)
        }
    }

    private func name(_ stage: Stage) -> String { interface + "." + stage.rawValue }
}
