/// A part of a datagram. It shares the datagram's memory, and reads never pass its end.
typealias Bytes = ArraySlice<UInt8>

extension ArraySlice<UInt8> {
    /// Reads the C structure at the start, in host byte order; nil if there are too few bytes.
    func structure<Value: BitwiseCopyable>(_ type: Value.Type = Value.self) -> Value? {
        guard count >= MemoryLayout<Value>.size else { return nil }
        return withUnsafeBytes { $0.loadUnaligned(as: type) }
    }

    /// The bytes that follow a C structure of this type at the start. Most headers of netlink messages are
    /// multiples of four bytes long (NLMSG_ALIGNTO), so what follows them is aligned; struct netconfmsg is
    /// not.
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
