import CLinux
import Glibc

/// Bytes that another program reads as a file: written before it starts, so that it never waits for this
/// process.
enum MemFD {
    /// A descriptor at the beginning of these bytes (memfd_create(2)), which the caller closes.
    static func holding(_ bytes: [UInt8]) throws(SystemError) -> Int32 {
        let descriptor = try check("memfd_create") { memfd_create("event", UInt32(MFD_CLOEXEC)) }
        try closingOnError(descriptor) { () throws(SystemError) in
            try writeWhole(bytes, to: descriptor)
            try checkCount("lseek") { lseek(descriptor, 0, SEEK_SET) }
        }
        return descriptor
    }
}
