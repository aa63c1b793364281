/// Writes the fields of a message one after the other, numbers in network byte order.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func number(_ value: some FixedWidthInteger & UnsignedInteger) {
        withUnsafeBytes(of: value.bigEndian) { bytes += $0 }
    }

    /// Its length (UInt16), then its bytes; what is longer than `limit` bytes is cut.
    mutating func text(_ text: String, limit: Int) {
        let field = Array(text.utf8.prefix(limit))
        number(UInt16(field.count))
        bytes += field
    }

    /// Its length (UInt8), then its bytes: 4 or 16.
    mutating func bytes(_ field: [UInt8]) {
        number(UInt8(field.count))
        bytes += field
    }
}

/// Reads the fields of a message, which may contain anything. After the first field that is incomplete or
/// invalid, every read returns nil.
struct ByteReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// Whether nothing is left: a message with extra bytes is invalid.
    var isAtEnd: Bool { rest.isEmpty }

    mutating func number<Number: FixedWidthInteger & UnsignedInteger>(_: Number.Type) -> Number? {
        guard let bytes = take(Number.bitWidth / 8) else { return nil }
        return bytes.reduce(0) { $0 << 8 | Number($1) }
    }

    /// Printable ASCII, `limit` bytes at most.
    mutating func text(limit: Int) -> String? {
        guard let count = number(UInt16.self), count <= limit, let bytes = take(Int(count)),
            bytes.allSatisfy(Printable.includes)
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// UTF-8, `limit` bytes at most.
    mutating func anyText(limit: Int) -> String? {
        guard let count = number(UInt16.self), count <= limit, let bytes = take(Int(count)) else {
            return nil
        }
        return String(validating: bytes, as: UTF8.self)
    }

    mutating func bytes() -> [UInt8]? {
        guard let count = number(UInt8.self), let bytes = take(Int(count)) else { return nil }
        return Array(bytes)
    }

    private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard rest.count >= count else {
            // Do not parse what follows an incomplete field.
            rest = []
            return nil
        }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}
