import Glibc

/// A file for other programs to read. It is replaced as a whole, so that a reader sees either the old content
/// or the new.
///
/// The administrator chooses the directory of the file. That directory may belong to another user, who can
/// replace the file by anything. Therefore each write creates a new file, and never follows or opens the
/// existing one.
///
/// The file is locked (flock(2)) as long as its writer lives, so that other processes can recognise an
/// abandoned file.
public final class PublishedFile {
    public let path: String
    private let directory: String
    private let name: String
    /// The descriptor of the file that was written last; -1 if there is none.
    private var held: Int32 = -1

    /// The most names of the directory that are read.
    private static let mostNames = 4096
    /// The mode of the file: everybody may read it.
    private static let mode: mode_t = 0o644

    public init(_ path: String) {
        self.path = path
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        name = parts.last.flatMap { String($0) } ?? ""
        let parent = path.utf8.dropLast(name.utf8.count)
        directory = parent.isEmpty ? "." : String(parent) ?? "."
    }

    deinit { close(held) }

    /// Replaces the file. Does not wait for the disk: after a power cut, the restarted program writes the
    /// file again soon.
    /// - Throws: the directory does not exist, or the file cannot be written (EISDIR if the path names a
    ///   directory).
    public func write(_ bytes: [UInt8]) throws(SystemError) {
        guard !name.isEmpty else { throw SystemError(call: "openat", code: EISDIR) }
        let openDirectory = try open()
        defer { close(openDirectory) }
        do throws(SystemError) {
            let descriptor = try make(fresh, bytes, in: openDirectory)
            try closingOnError(descriptor) { () throws(SystemError) in
                try check("renameat") { renameat(openDirectory, fresh, openDirectory, name) }
            }
            close(held)
            held = descriptor
        } catch {
            unlinkat(openDirectory, fresh, 0)
            throw error
        }
    }

    /// Removes the file if it exists.
    public func remove() {
        guard let openDirectory = try? open() else { return }
        unlinkat(openDirectory, name, 0)
        close(openDirectory)
    }

    /// Removes from the directory the files like this one that dead processes of the same user have left. The
    /// lock of such a file is free.
    /// - Parameters:
    ///   - isMeant: whether a file with this name may be such a file.
    ///   - beginning: the first bytes of such a file; not empty.
    public func removeAbandoned(named isMeant: (String) -> Bool, beginning: [UInt8]) {
        guard let openDirectory = try? open() else { return }
        defer { close(openDirectory) }
        for name in DirectoryListing.of(directory, atMost: Self.mostNames) where isMeant(name) {
            let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
            let descriptor = openat(openDirectory, name, flags)
            guard descriptor != -1 else { continue }
            if Self.isAbandoned(descriptor, beginning) { unlinkat(openDirectory, name, 0) }
            close(descriptor)
        }
    }

    private static func isAbandoned(_ descriptor: Int32, _ beginning: [UInt8]) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_uid == geteuid(), flock(descriptor, LOCK_EX | LOCK_NB) == 0
        else { return false }
        var bytes = [UInt8](repeating: 0, count: beginning.count)
        return pread(descriptor, &bytes, bytes.count, 0) == bytes.count && bytes == beginning
    }

    /// The name of the file while it is written. Programs that read the directory ignore it, because it
    /// starts with a dot.
    private var fresh: String { ".\(name).new" }

    private func open() throws(SystemError) -> Int32 {
        try check("open") { Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    }

    /// - Returns: the descriptor of the new file, which has the lock.
    private func make(_ name: String, _ bytes: [UInt8], in openDirectory: Int32) throws(SystemError) -> Int32
    {
        // A file with this name was left by a killed process, or placed by another user. It is not reused.
        unlinkat(openDirectory, name, 0)
        let flags = O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW
        let descriptor = try check("openat") { openat(openDirectory, name, flags, Self.mode) }
        try closingOnError(descriptor) { () throws(SystemError) in
            // The file is written even if the file system does not support locks.
            flock(descriptor, LOCK_EX | LOCK_NB)
            // The umask does not apply to fchmod(2).
            try check("fchmod") { fchmod(descriptor, Self.mode) }
            try writeWhole(bytes, to: descriptor)
        }
        return descriptor
    }
}
