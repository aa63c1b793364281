import Glibc
import Platform

/// A file of sysfs that makes the kernel act when it is written, such as a driver's `bind`.
struct SysfsFile: Equatable, Sendable {
    let path: String
    private let sysfs: String
    /// The descriptor of the open file; nil if the file is opened for each write.
    private(set) var descriptor: Int32?

    /// - Parameter name: the path of the file below sysfs.
    init(_ name: String, in sysfs: String, descriptor: Int32? = nil) {
        path = "\(sysfs)/\(name)"
        self.sysfs = sysfs
        self.descriptor = descriptor
    }

    var isThere: Bool { access(path, F_OK) == 0 }

    /// Opens the file. A process that is about to lose the right to open it needs this. The file is never
    /// closed.
    func opened() -> SysfsFile {
        var opened = self
        opened.descriptor = try? open()
        return opened
    }

    /// Writes the text. Blocks until the kernel has acted (write(2)).
    func write(_ text: String) throws(SystemError) {
        let file = if let descriptor { descriptor } else { try open() }
        defer { if descriptor == nil { close(file) } }
        let bytes = Array(text.utf8)
        try checkCount("write") { Glibc.write(file, bytes, bytes.count) }
    }

    /// Opens the file. It must belong to a device or a bus after all symbolic links are resolved (EPERM).
    private func open() throws(SystemError) -> Int32 {
        guard let root = Self.realPath(sysfs), let directory = Self.realPath(Self.parent(path)) else {
            throw SystemError(call: "realpath", code: errno)
        }
        guard ["devices", "bus"].contains(where: { directory.hasPrefix("\(root)/\($0)/") }) else {
            throw SystemError(call: "open", code: EPERM)
        }
        return try check("open") { Glibc.open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW) }
    }

    /// The directory that contains a file or directory, by its path alone.
    static func parent(_ path: String) -> String {
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? path
    }

    /// The path without symbolic links (realpath(3)); nil if it does not exist.
    static func realPath(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(
            validating: UnsafeBufferPointer(start: real, count: strlen(real)).map { UInt8(bitPattern: $0) },
            as: UTF8.self)
    }
}
