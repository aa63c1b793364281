import Glibc

/// A file that only grows, by one whole record at a time, up to a limit. Existing records never change.
public final class RecordFile {
    /// Why the file cannot be written.
    public enum Problem: Error, Equatable, Sendable {
        case refused(SystemError)
        /// The file does not begin as expected, or its last line is incomplete.
        case foreign
        /// With the next record, the file would exceed its limit.
        case full
    }

    private let descriptor: Int32
    private let largest: Int
    private var size: Int

    /// Opens the file, and creates it (mode 0600) if it does not exist. Ignores SIGXFSZ, so that a write
    /// beyond the resource limit (RLIMIT_FSIZE, setrlimit(2)) fails instead of ending the process.
    /// - Parameters:
    ///   - start: the first bytes that the file must have unless it is empty.
    ///   - largest: the limit in bytes.
    /// - Throws: the file cannot be opened, is a symbolic link (ELOOP), is not a regular file (EINVAL),
    ///   belongs to another user or has a second hard link (EPERM); or `foreign`.
    public init(_ path: String, start: [UInt8], largest: Int) throws(Problem) {
        self.largest = largest
        let flags = O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        (descriptor, size) = try Self.refusing { () throws(SystemError) in
            let file = try check("open") { open(path, flags, 0o600) }
            return try closingOnError(file) { () throws(SystemError) in
                (file, Int(try SmallFile.own(file).st_size))
            }
        }
        // All stored properties are set now, so from here on `deinit` closes the descriptor.
        guard size == 0 || Self.isOurs(descriptor, start: start, size: size) else { throw .foreign }
        signal(SIGXFSZ, SIG_IGN)
    }

    deinit { close(descriptor) }

    /// Appends a record, completely or not at all.
    /// - Throws: `full`, or the error of write(2).
    public func append(_ record: [UInt8]) throws(Problem) {
        guard size + record.count <= largest else { throw .full }
        do throws(SystemError) { try writeWhole(record, to: descriptor) } catch {
            // Remove the incomplete record.
            ftruncate(descriptor, off_t(size))
            throw .refused(error)
        }
        size += record.count
    }

    private static func isOurs(_ descriptor: Int32, start: [UInt8], size: Int) -> Bool {
        var head = [UInt8](repeating: 0, count: start.count)
        var last: UInt8 = 0
        guard pread(descriptor, &head, head.count, 0) == head.count, head == start else { return false }
        return pread(descriptor, &last, 1, off_t(size - 1)) == 1 && last == UInt8(ascii: "\n")
    }

    private static func refusing<Value>(_ body: () throws(SystemError) -> Value) throws(Problem) -> Value {
        do throws(SystemError) { return try body() } catch { throw .refused(error) }
    }
}
