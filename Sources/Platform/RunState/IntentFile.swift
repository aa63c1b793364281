import Glibc
import Synchronization

/// The record of a bounce under way: `DIRECTORY/INTERFACE.intent` while the link is held down,
/// `DIRECTORY/INTERFACE.settling` while it is up and what it lost is being put back.
///
/// Only the holder of the interface's lock, and whoever inherited that, touches the file.
public final class IntentFile: Sendable {
    /// How far the bounce came, told by the file's name.
    public enum Stage: String, Sendable, CaseIterable {
        case held = "intent"
        case settling
    }

    /// Larger records are none of ours: a hundred thousand routes need about 20 MB.
    private static let largest = 64 << 20

    private let place: OpenDirectory
    private let interface: String
    /// This process has given the record its second name: by the first one there is none.
    private let isSettled = Atomic<Bool>(false)

    private var openDirectory: Int32 { place.descriptor }
    private var owner: DirectoryCredentials { place.owner }

    /// The directory, to be kept open by a process that was forked to finish the bounce.
    public var descriptor: Int32 { openDirectory }

    /// Opens the directory, which must exist; no record is made yet.
    public init(interface: String, in openDirectory: OwnedDirectory) throws(SystemError) {
        let isName = !interface.isEmpty && !interface.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
        guard isName else { throw SystemError(call: "openat", code: EINVAL) }
        place = try openDirectory.open(making: false)
        self.interface = interface
    }

    public convenience init(interface: String, directory: String) throws(SystemError) {
        try self.init(interface: interface, in: OwnedDirectory(directory))
    }

    /// Whether there is a record, whoever made it.
    public static func isThere(for interface: String, in openDirectory: OwnedDirectory) -> Bool {
        Stage.allCases.contains { access("\(openDirectory.path)/\(interface).\($0.rawValue)", F_OK) == 0 }
    }

    /// For a process that is about to give up what it does not need: the record stays within its reach.
    public func keepReach() { owner.keepActing() }

    /// Writes the record of a bounce that is about to begin; an older one of this interface is replaced.
    /// Nothing is left behind where it fails.
    ///
    /// Root's own stays root's in the directory of the service's user, who may read it: so root knows it again.
    /// - Throws: the file cannot be written.
    public func write(_ record: [UInt8]) throws(SystemError) {
        isSettled.store(false, ordering: .relaxed)
        if owner.isStandIn { remove() }
        let fresh = owner.isStandIn ? O_EXCL : O_TRUNC
        let flags = O_CREAT | fresh | O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let mode: mode_t = owner.isStandIn ? 0o644 : 0o600
        let descriptor = try check("openat") { openat(openDirectory, name(.held), flags, mode) }
        defer { close(descriptor) }
        // Whatever the umask says.
        if owner.isStandIn { fchmod(descriptor, mode) }
        do throws(SystemError) {
            var rest = record[...]
            while !rest.isEmpty {
                let count = try checkCount("write") {
                    rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
                }
                rest = rest.dropFirst(count)
            }
        } catch {
            remove()
            throw error
        }
    }

    /// The record that an interrupted bounce left, with its stage; nil: there is none.
    /// - Returns: `isForeign`: this process's user has not written it.
    /// - Throws: it cannot be read, or is not a regular file of ours (EPERM, EINVAL).
    public static func read(
        interface: String, directory: String
    ) throws(SystemError) -> (file: IntentFile, stage: Stage, record: [UInt8], isForeign: Bool)? {
        let file: IntentFile
        do { file = try IntentFile(interface: interface, directory: directory) } catch
            where error.code == ENOENT
        { return nil }
        for stage in Stage.allCases {
            let found = try TrustedDirectory.readOwned(file.name(stage), in: file.place, largest: largest)
            if let found { return (file, stage, found.content, found.owner != UserAccount.ofProcess) }
        }
        return nil
    }

    /// The interfaces of which there are records, in the order of their names.
    public static func interfaces(in directory: String) throws(SystemError) -> [String] {
        let openDirectory: Int32
        do { openDirectory = try TrustedDirectory.open(directory, making: false) } catch
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
            // Octet by byte: a name's last sign and the full stop may be one character to a String.
            for stage in Stage.allCases {
                let ending = Array(".\(stage.rawValue)".utf8)
                guard name.count > ending.count, name.suffix(ending.count) == ending[...] else { continue }
                names.insert(String(decoding: name.dropLast(ending.count), as: UTF8.self))
            }
        }
        return names.sorted()
    }

    /// The link is up: what is left to do is to put back what it lost (renameat(2)).
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
