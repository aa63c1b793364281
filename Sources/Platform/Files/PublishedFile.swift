import Glibc

/// A file for other programs to read, replaced as a whole: a reader sees the old content or the new one.
///
/// The administrator chooses its directory, which may belong to another user, who can then replace the file
/// by anything. Therefore an existing file is never followed or written into: each time a new file is made.
///
/// While its writer lives the file is locked (flock(2)), so that others can tell when it is abandoned.
public final class PublishedFile {
    public let path: String
    private let directory: String
    private let name: String
    /// Descriptor of the last written file; -1: there is none.
    private var held: Int32 = -1

    /// The most names of the directory that are read.
    private static let mostNames = 4096
    /// Everybody may read it.
    private static let mode: mode_t = 0o644

    public init(_ path: String) {
        self.path = path
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        name = parts.last.flatMap { String($0) } ?? ""
        let openDirectory = path.utf8.dropLast(name.utf8.count)
        directory = openDirectory.isEmpty ? "." : String(openDirectory) ?? "."
    }

    deinit { close(held) }

    /// Replaces the file. Does not wait for the disk: a file lost in a power cut is written again soon.
    /// - Throws: the directory is not there, or the file cannot be written (EISDIR: the path names a
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

    /// Removes the file, if it is there.
    public func remove() {
        guard let openDirectory = try? open() else { return }
        unlinkat(openDirectory, name, 0)
        close(openDirectory)
    }

    /// Removes files in the same directory that were written like this one, by a process of the same user
    /// that has ended without removing them.
    /// - Parameters:
    ///   - isMeant: whether a file with this name may be one of them.
    ///   - beginning: the beginning of their content; not empty.
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

    /// A name that programs which read the directory ignore.
    private var fresh: String { ".\(name).new" }

    private func open() throws(SystemError) -> Int32 {
        try check("open") { Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    }

    /// - Returns: its descriptor, which has the lock.
    private func make(_ name: String, _ bytes: [UInt8], in openDirectory: Int32) throws(SystemError) -> Int32
    {
        // Left by a killed run, or planted: neither is used.
        unlinkat(openDirectory, name, 0)
        let flags = O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW
        let descriptor = try check("openat") { openat(openDirectory, name, flags, Self.mode) }
        try closingOnError(descriptor) { () throws(SystemError) in
            // The file is written even if the file system has no locks.
            flock(descriptor, LOCK_EX | LOCK_NB)
            // Independent of the umask.
            try check("fchmod") { fchmod(descriptor, Self.mode) }
            try writeWhole(bytes, to: descriptor)
        }
        return descriptor
    }
}
