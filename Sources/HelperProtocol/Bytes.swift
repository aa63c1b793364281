/// Writes the fields of a message one after the other. Numbers are in network byte order.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func number(_ value: some FixedWidthInteger & UnsignedInteger) {
        withUnsafeBytes(of: value.bigEndian) { bytes += $0 }
    }

    /// Writes the text's length (UInt16), then its bytes. A text of more than `limit` bytes is cut.
    mutating func text(_ text: String, limit: Int) {
        let field = Array(text.utf8.prefix(limit))
        number(UInt16(field.count))
        bytes += field
    }

    /// Writes the length of an address (UInt8), then its 4 or 16 bytes.
    mutating func bytes(_ field: [UInt8]) {
        number(UInt8(field.count))
        bytes += field
    }
}

/// Reads the fields of a message from an untrusted sender. After the first field that is incomplete, every
/// read returns nil.
struct ByteReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// Whether no bytes are left. A message with extra bytes is invalid.
    var isAtEnd: Bool { rest.isEmpty }

    mutating func number<Number: FixedWidthInteger & UnsignedInteger>(_: Number.Type) -> Number? {
        guard let bytes = take(Number.bitWidth / 8) else { return nil }
        return bytes.reduce(0) { $0 << 8 | Number($1) }
    }

    /// Reads a text of printable ASCII, at most `limit` bytes long.
    mutating func text(limit: Int) -> String? {
        guard let count = number(UInt16.self), count <= limit, let bytes = take(Int(count)),
            bytes.allSatisfy(Printable.includes)
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads a text of UTF-8, at most `limit` bytes long.
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
            // What follows an incomplete field must not be parsed.
            rest = []
            return nil
        }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}
