import CLinux
import Glibc

/// Reads the files of a ``RotatingFile`` piece by piece, as they were when the reader was created. Later
/// records are not read, and a rotation does not disturb the reader. ``next(atMost:)`` waits for the disk
/// only on a file system that cannot tell which data is in memory.
public final class RotatingFileReader {
    /// The result of a read.
    public enum Piece: Equatable, Sendable {
        /// Bytes of the file, at least one.
        case bytes([UInt8])
        /// The data is not in memory. The kernel has started to read it: try again soon.
        case later
        case end
    }

    private struct File {
        let descriptor: Int32
        let identity: (dev_t, ino_t)
        /// The offsets, in bytes, between which the unread part lies.
        var begin: off_t
        let end: off_t
    }

    /// The files that are not read completely yet, in order.
    private var files: [File]

    /// - Parameter files: the results of ``OpenDirectory/open(_:largest:asOwner:)``. Their descriptors are
    ///   closed with this object.
    init(_ files: [(descriptor: Int32, status: stat)]) { self.files = files.map(Self.file) }

    deinit { for file in files { close(file.descriptor) } }

    private static func file(_ opened: (descriptor: Int32, status: stat)) -> File {
        File(
            descriptor: opened.descriptor, identity: (opened.status.st_dev, opened.status.st_ino), begin: 0,
            end: opened.status.st_size)
    }

    /// Puts a file before all others.
    /// - Returns: false if this file is in the list already; its descriptor is closed then.
    func begin(with opened: (descriptor: Int32, status: stat)) -> Bool {
        let file = Self.file(opened)
        guard !files.contains(where: { $0.identity == file.identity }) else {
            close(file.descriptor)
            return false
        }
        files.insert(file, at: 0)
        return true
    }

    /// Reads the next piece.
    /// - Parameter most: the most bytes to read, 1 or more.
    /// - Throws: the error of preadv2(2).
    public func next(atMost most: Int) throws(SystemError) -> Piece {
        while let file = files.first {
            let wanted = min(off_t(most), file.end - file.begin)
            if wanted > 0 {
                guard let bytes = try Self.read(file.descriptor, Int(wanted), at: file.begin) else {
                    return .later
                }
                files[0].begin += off_t(bytes.count)
                // No bytes at this place mean that the file was truncated.
                if !bytes.isEmpty { return .bytes(bytes) }
            }
            close(file.descriptor)
            files.removeFirst()
        }
        return .end
    }

    /// Reads everything that is left. Waits for the disk.
    /// - Throws: the error of preadv2(2).
    func rest() throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        while let file = files.first {
            let left = Int(file.end - file.begin)
            let piece = try Self.read(file.descriptor, left, at: file.begin, flags: 0)
            files[0].begin += off_t(piece.count)
            bytes += piece
            guard piece.isEmpty else { continue }
            close(file.descriptor)
            files.removeFirst()
        }
        return bytes
    }

    /// - Returns: the bytes that are in memory, at least one except at the end of the file; nil if none are.
    private static func read(_ descriptor: Int32, _ most: Int, at begin: off_t) throws(SystemError)
        -> [UInt8]?
    {
        do throws(SystemError) {
            return try read(descriptor, most, at: begin, flags: only_what_is_in_memory)
        } catch {
            switch error.code {
            case EAGAIN:
                posix_fadvise(descriptor, begin, off_t(most), POSIX_FADV_WILLNEED)
                return nil
            // This file system cannot tell which data is in memory.
            case EOPNOTSUPP: return try read(descriptor, most, at: begin, flags: 0)
            default: throw error
            }
        }
    }

    private static func read(
        _ descriptor: Int32, _ most: Int, at begin: off_t, flags: Int32
    ) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: most)
        let count = try checkCount("preadv2") {
            bytes.withUnsafeMutableBytes { buffer in
                var part = iovec(iov_base: buffer.baseAddress, iov_len: buffer.count)
                return preadv2(descriptor, &part, 1, begin, flags)
            }
        }
        return Array(bytes[..<count])
    }
}
