import Glibc
import Model

extension UInt16 {
    /// The two bytes in network byte order.
    package var bytes: [UInt8] { [UInt8(self >> 8), UInt8(truncatingIfNeeded: self)] }
}

/// An address and port, which can be converted to a sockaddr (sockaddr_in, ip(7); sockaddr_in6, ipv6(7)).
public struct SocketAddress: Hashable, Sendable {
    public enum Family: Int32, Sendable {
        case v4 = 2
        case v6 = 10
    }

    public var address: IPAddress
    public var port: UInt16 = 0
    /// The index of the interface for a link-local IPv6 address (sin6_scope_id); otherwise 0.
    public var scope: UInt32 = 0

    /// The address as seen on an interface. Only a link-local one uses the interface's index.
    public init(_ address: IPAddress, port: UInt16 = 0, on index: InterfaceIndex) {
        self.address = address
        self.port = port
        scope = address.isIPv6LinkLocal ? UInt32(bitPattern: index.rawValue) : 0
    }

    /// Parses the bytes of a sockaddr. Returns nil if they are too few, or of another family.
    public init?(bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count >= 8 else { return nil }
        port = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
        let family = Int32(bytes.withUnsafeBytes { $0.loadUnaligned(as: sa_family_t.self) })
        switch Family(rawValue: family) {
        case .v4: address = IPAddress(bytes: bytes[4..<8])!
        case .v6:
            guard bytes.count >= 28 else { return nil }
            address = IPAddress(bytes: bytes[8..<24])!
            scope = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 24, as: UInt32.self) }
        case nil: return nil
        }
    }

    public var family: Family {
        switch address {
        case .v4: .v4
        case .v6: .v6
        }
    }

    /// The bytes of the sockaddr.
    public var bytes: [UInt8] {
        var family = sa_family_t(self.family.rawValue)
        let head = withUnsafeBytes(of: &family, Array.init) + port.bytes
        switch address {
        case .v4: return head + address.bytes + [UInt8](repeating: 0, count: 8)
        case .v6:
            var scope = scope
            return head + [0, 0, 0, 0] + address.bytes + withUnsafeBytes(of: &scope, Array.init)
        }
    }

    /// Passes the sockaddr to a call.
    public func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        bytes.withUnsafeBytes { raw in
            var storage = sockaddr_storage()
            return withUnsafeMutableBytes(of: &storage) { target in
                target.copyMemory(from: raw)
                return body(target.assumingMemoryBound(to: sockaddr.self).baseAddress!, socklen_t(raw.count))
            }
        }
    }

    /// The local address of a socket (getsockname(2)), 0.0.0.0 or :: while it has none; nil after an error.
    public static func local(of descriptor: Int32) -> SocketAddress? {
        var bytes = [UInt8](repeating: 0, count: MemoryLayout<sockaddr_storage>.size)
        var length = socklen_t(bytes.count)
        let result = bytes.withUnsafeMutableBytes {
            getsockname(descriptor, $0.assumingMemoryBound(to: sockaddr.self).baseAddress!, &length)
        }
        return result == 0 ? SocketAddress(bytes: bytes.prefix(Int(length))) : nil
    }
}
