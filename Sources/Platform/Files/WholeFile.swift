import Glibc

/// The whole content of an open file.
enum WholeFile {
    /// - Parameters:
    ///   - status: the state of the file when it was opened (fstat(2)): one that has not grown since needs a
    ///     single read(2).
    ///   - largest: in bytes; of a larger file, slightly more is read.
    static func bytes(_ descriptor: Int32, _ status: stat, largest: Int) throws(SystemError) -> [UInt8] {
        // Files in /proc report no length.
        let expected = min(max(Int(status.st_size), 0), largest)
        let room = expected > 0 ? expected + 1 : unknown
        var content: [UInt8] = []
        while content.count <= largest {
            var count = 0
            let part = [UInt8](unsafeUninitializedCapacity: room) { buffer, filled in
                count = Glibc.read(descriptor, buffer.baseAddress, room)
                filled = max(count, 0)
            }
            if count == -1 {
                if errno == EINTR { continue }
                throw SystemError(call: "read", code: errno)
            }
            if content.isEmpty { content = part } else { content += part }
            if count == 0 || expected > 0 && content.count == expected { break }
        }
        return content
    }

    /// The size of a read if the length is unknown.
    private static let unknown = 1 << 12
}
