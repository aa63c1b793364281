import CLinux
import Glibc

/// A file in memory that another program reads. All its bytes are written before that program starts, so the
/// program never waits for this process.
enum MemFD {
    /// Creates the file with these bytes (memfd_create(2)).
    /// - Returns: a descriptor at the start of the bytes, which the caller closes.
    static func holding(_ bytes: [UInt8]) throws(SystemError) -> Int32 {
        let descriptor = try check("memfd_create") { memfd_create("event", UInt32(MFD_CLOEXEC)) }
        try closingOnError(descriptor) { () throws(SystemError) in
            try writeWhole(bytes, to: descriptor)
            try checkCount("lseek") { lseek(descriptor, 0, SEEK_SET) }
        }
        return descriptor
    }
}
