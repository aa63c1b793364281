import CLinux
import Glibc

/// What was in the files of a ``RotatingFile`` when this was made, read piece by piece: what is written afterwards is not
/// in it, and who turns a file over takes nothing away. The disk is never waited for.
public final class RotatingFileReader {
    /// What is read next.
    public enum Piece: Equatable, Sendable {
        /// At least one byte.
        case bytes([UInt8])
        /// It has to come from the disk first, which was told so: ask again soon.
        case later
        case end
    }

    private struct File {
        let descriptor: Int32
        let identity: (dev_t, ino_t)
        /// What is still to be read lies between the two, in bytes.
        var begin: off_t
        let end: off_t
    }

    /// The first is the one that is read.
    private var files: [File]

    /// - Parameter files: what TrustedDirectory.open gives; the descriptors are closed with this object.
    init(_ files: [(descriptor: Int32, status: stat)]) { self.files = files.map(Self.file) }

    deinit { for file in files { close(file.descriptor) } }

    private static func file(_ opened: (descriptor: Int32, status: stat)) -> File {
        File(
            descriptor: opened.descriptor, identity: (opened.status.st_dev, opened.status.st_ino), begin: 0,
            end: opened.status.st_size)
    }

    /// Puts a file before all others.
    /// - Returns: false: it is there already, and is closed.
    func begin(with opened: (descriptor: Int32, status: stat)) -> Bool {
        let file = Self.file(opened)
        guard !files.contains(where: { $0.identity == file.identity }) else {
            close(file.descriptor)
            return false
        }
        files.insert(file, at: 0)
        return true
    }

    /// Reads on.
    /// - Parameter most: in bytes, 1 or more.
    /// - Throws: it cannot be read (preadv2(2)).
    public func next(atMost most: Int) throws(SystemError) -> Piece {
        while let file = files.first {
            let wanted = min(off_t(most), file.end - file.begin)
            if wanted > 0 {
                guard let bytes = try Self.read(file.descriptor, Int(wanted), at: file.begin) else {
                    return .later
                }
                files[0].begin += off_t(bytes.count)
                // Shorter than it was: somebody has cut it off.
                if !bytes.isEmpty { return .bytes(bytes) }
            }
            close(file.descriptor)
            files.removeFirst()
        }
        return .end
    }

    /// - Returns: what is in memory of it, at least one byte unless the file ends there; nil: nothing is.
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
            // This file system cannot tell.
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
