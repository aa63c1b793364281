/// A part of a datagram: shares its memory, and is never read beyond its end.
typealias Bytes = ArraySlice<UInt8>

extension ArraySlice<UInt8> {
    /// The C structure at the beginning, in host byte order; nil if there are not enough bytes.
    func structure<Value: BitwiseCopyable>(_ type: Value.Type = Value.self) -> Value? {
        guard count >= MemoryLayout<Value>.size else { return nil }
        return withUnsafeBytes { $0.loadUnaligned(as: type) }
    }

    /// What follows a C structure of this type at the beginning. All headers of netlink messages are
    /// multiples of four bytes long (NLMSG_ALIGNTO), so that what follows them is aligned.
    func following<Value: BitwiseCopyable>(_ type: Value.Type) -> Bytes {
        dropFirst(MemoryLayout<Value>.size)
    }
}

extension [UInt8] {
    /// The bytes of a C structure.
    init<Value: BitwiseCopyable>(of structure: Value) {
        self = Swift.withUnsafeBytes(of: structure) { Array($0) }
    }
}
