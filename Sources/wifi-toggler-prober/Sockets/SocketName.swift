import Glibc
import Model

/// Reads the addresses in sockaddr structures (ip(7), ipv6(7)).
enum SocketName {
    /// The address in the bytes of a sockaddr; nil if they are too few, or of another family.
    static func address(_ bytes: [UInt8]) -> IPAddress? {
        guard bytes.count >= 8 else { return nil }
        switch Int32(bytes.withUnsafeBytes { $0.loadUnaligned(as: sa_family_t.self) }) {
        case AF_INET: return IPAddress(bytes: bytes[4..<8])
        case AF_INET6: return bytes.count >= 24 ? IPAddress(bytes: bytes[8..<24]) : nil
        default: return nil
        }
    }

    /// The local address of a socket (getsockname(2)), 0.0.0.0 or :: while it has none; nil after an error.
    static func local(of descriptor: Int32) -> IPAddress? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &storage) { raw in
            let pointer = raw.assumingMemoryBound(to: sockaddr.self).baseAddress!
            guard getsockname(descriptor, pointer, &length) == 0 else { return nil }
            return address(Array(raw.prefix(Int(length))))
        }
    }
}
