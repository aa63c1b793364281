import Glibc

/// A file for other programs to read, replaced as a whole: whoever opens it sees the old content or the new one.
///
/// Its directory is the administrator's choice and may belong to another user, who can then put what he likes in the
/// file's place. Therefore nothing that is there is written into or followed: each time a new file is made.
public struct PublishedFile: Equatable, Sendable {
    public let path: String
    private let directory: String
    private let name: String

    /// Everybody may read it.
    private static let mode: mode_t = 0o644

    public init(_ path: String) {
        self.path = path
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        name = parts.last.flatMap { String($0) } ?? ""
        let folder = path.utf8.dropLast(name.utf8.count)
        directory = folder.isEmpty ? "." : String(folder) ?? "."
    }

    /// Replaces it. It is not waited for the disk: what a power cut takes is written again soon.
    /// - Throws: the directory is not there, or the file cannot be written (EISDIR: the path names a directory).
    public func write(_ bytes: [UInt8]) throws(SystemError) {
        guard !name.isEmpty else { throw SystemError(call: "openat", code: EISDIR) }
        let folder = try open()
        defer { close(folder) }
        do {
            try make(fresh, bytes, in: folder)
            try check("renameat") { renameat(folder, fresh, folder, name) }
        } catch {
            unlinkat(folder, fresh, 0)
            throw error
        }
    }

    /// Takes it away, if it is there.
    public func remove() {
        guard let folder = try? open() else { return }
        unlinkat(folder, name, 0)
        close(folder)
    }

    /// No name that those who read the directory look for.
    private var fresh: String { ".\(name).new" }

    private func open() throws(SystemError) -> Int32 {
        try check("open") { Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    }

    private func make(_ name: String, _ bytes: [UInt8], in folder: Int32) throws(SystemError) {
        // Left by a run that was killed, or put there by somebody: neither is used.
        unlinkat(folder, name, 0)
        let flags = O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW
        let descriptor = try check("openat") { openat(folder, name, flags, Self.mode) }
        defer { close(descriptor) }
        // The umask has had its say.
        try check("fchmod") { fchmod(descriptor, Self.mode) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = try checkCount("write") {
                rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            }
            rest = rest.dropFirst(count)
        }
    }
}
