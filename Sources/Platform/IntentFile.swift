import Glibc

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

    private let folder: Int32
    private let interface: String

    private init(folder: Int32, interface: String) {
        self.folder = folder
        self.interface = interface
    }

    deinit { close(folder) }

    /// The directory, to be kept open by a process that was forked to finish the bounce.
    public var descriptor: Int32 { folder }

    /// Opens the directory, which must exist; no record is made yet.
    public convenience init(interface: String, directory: String) throws(SystemError) {
        let isName = !interface.isEmpty && !interface.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
        guard isName else { throw SystemError(call: "openat", code: EINVAL) }
        self.init(folder: try RunDirectory.open(directory, making: false), interface: interface)
    }

    /// Writes the record of a bounce that is about to begin; an older one of this interface is replaced.
    /// Nothing is left behind where it fails.
    /// - Throws: the file cannot be written.
    public func write(_ record: [UInt8]) throws(SystemError) {
        let flags = O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let descriptor = try check("openat") { openat(folder, name(.held), flags, 0o600) }
        defer { close(descriptor) }
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
    /// - Throws: it cannot be read, or is not a regular file of ours (EPERM, EINVAL).
    public static func read(
        interface: String, directory: String
    ) throws(SystemError) -> (file: IntentFile, stage: Stage, record: [UInt8])? {
        let file: IntentFile
        do { file = try IntentFile(interface: interface, directory: directory) } catch
            where error.code == ENOENT
        { return nil }
        for stage in Stage.allCases {
            let record = try RunDirectory.read(file.name(stage), in: file.folder, largest: largest)
            if let record { return (file, stage, record) }
        }
        return nil
    }

    /// The interfaces of which there are records, in the order of their names.
    public static func interfaces(in directory: String) throws(SystemError) -> [String] {
        let folder: Int32
        do { folder = try RunDirectory.open(directory, making: false) } catch  where error.code == ENOENT {
            return []
        }
        guard let stream = fdopendir(folder) else {
            close(folder)
            throw SystemError(call: "fdopendir", code: errno)
        }
        defer { closedir(stream) }
        var names: Set<String> = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                Array(bytes.prefix { $0 != 0 })
            }
            // Octet by octet: a name's last sign and the full stop may be one character to a String.
            for stage in Stage.allCases {
                let ending = Array(".\(stage.rawValue)".utf8)
                guard name.count > ending.count, name.suffix(ending.count) == ending[...] else { continue }
                names.insert(String(decoding: name.dropLast(ending.count), as: UTF8.self))
            }
        }
        return names.sorted()
    }

    /// The link is up: what is left to do is to put back what it lost (renameat(2)).
    public func settle() { renameat(folder, name(.held), folder, name(.settling)) }

    /// The bounce is over.
    public func remove() {
        for stage in Stage.allCases { unlinkat(folder, name(stage), 0) }
    }

    private func name(_ stage: Stage) -> String { interface + "." + stage.rawValue }
}
