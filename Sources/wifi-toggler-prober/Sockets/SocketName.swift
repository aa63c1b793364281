import Glibc
import Model

/// Addresses in sockaddr structures (ip(7), ipv6(7)).
enum SocketName {
    /// From the bytes of a sockaddr; nil for other families and if it is too short.
    static func address(_ bytes: [UInt8]) -> IPAddress? {
        guard bytes.count >= 8 else { return nil }
        switch Int32(bytes.withUnsafeBytes { $0.loadUnaligned(as: sa_family_t.self) }) {
        case AF_INET: return IPAddress(bytes: bytes[4..<8])
        case AF_INET6: return bytes.count >= 24 ? IPAddress(bytes: bytes[8..<24]) : nil
        default: return nil
        }
    }

    static func address(_ pointer: UnsafePointer<sockaddr>, length: Int) -> IPAddress? {
        address(Array(UnsafeRawBufferPointer(start: pointer, count: length)))
    }

    /// The local address of a socket (getsockname(2)).
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
