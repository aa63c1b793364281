import Model

/// Reads one JSON value (RFC 8259) of the kinds that this program writes: numbers have no exponent, only
/// three of their decimals are kept, no key occurs twice, and nesting is at most `deepest` deep. Input is
/// untrusted.
struct JSONReader {
    /// An error, and the number of bytes before it.
    struct Mistake: Error, Equatable {
        var what: String
        var position: Int
    }

    /// The deepest nesting. The program's own values are less than half as deep.
    static let deepest = 32

    private let bytes: ArraySlice<UInt8>
    private var position: Int

    private init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    static func value(of bytes: ArraySlice<UInt8>) throws(Mistake) -> JSONText {
        var reader = JSONReader(bytes)
        let value = try reader.value(depth: 0)
        reader.skipBlanks()
        guard reader.position == bytes.endIndex else { throw reader.mistake("text after the end") }
        return value
    }

    private func mistake(_ what: String) -> Mistake {
        Mistake(what: what, position: position - bytes.startIndex)
    }

    // MARK: Bytes

    private var next: UInt8? { position < bytes.endIndex ? bytes[position] : nil }

    private mutating func skipBlanks() {
        while let byte = next, " \t\n\r".utf8.contains(byte) { position += 1 }
    }

    private mutating func takes(_ sign: Unicode.Scalar) -> Bool {
        skipBlanks()
        guard next == UInt8(ascii: sign) else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ sign: Unicode.Scalar) throws(Mistake) {
        guard takes(sign) else { throw mistake("'\(sign)' is missing") }
    }

    // MARK: Values

    private mutating func value(depth: Int) throws(Mistake) -> JSONText {
        guard depth < Self.deepest else { throw mistake("nested too deep") }
        skipBlanks()
        switch next {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case let sign? where sign == UInt8(ascii: "-") || sign.isASCIIDigit: return try number()
        default: return try word()
        }
    }

    private mutating func object(depth: Int) throws(Mistake) -> JSONText {
        try expect("{")
        var members: [(String, JSONText)] = []
        var names: Set<String> = []
        if takes("}") { return .object(members) }
        repeat {
            skipBlanks()
            let name = try string()
            guard names.insert(name).inserted else { throw mistake("a key stands there twice") }
            try expect(":")
            members.append((name, try value(depth: depth + 1)))
        } while takes(",")
        try expect("}")
        return .object(members)
    }

    private mutating func array(depth: Int) throws(Mistake) -> JSONText {
        try expect("[")
        var values: [JSONText] = []
        if takes("]") { return .array(values) }
        repeat { values.append(try value(depth: depth + 1)) } while takes(",")
        try expect("]")
        return .array(values)
    }

    private mutating func word() throws(Mistake) -> JSONText {
        let words: [(String, JSONText)] = [("true", .bool(true)), ("false", .bool(false)), ("null", .null)]
        for (word, value) in words where bytes[position...].starts(with: word.utf8) {
            position += word.utf8.count
            return value
        }
        throw mistake("a value is missing")
    }

    /// Reads a number without an exponent and without a superfluous leading zero.
    private mutating func number() throws(Mistake) -> JSONText {
        let start = position
        if next == UInt8(ascii: "-") { position += 1 }
        skipDigits()
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        let isZero = text == "-0"
        guard let number = Int64(text), String(number) == text || isZero else {
            throw mistake("a number that a trace cannot have")
        }
        guard next == UInt8(ascii: ".") else { return .integer(number) }
        let fraction = try thousandths()
        let (whole, isTooLarge) = number.multipliedReportingOverflow(by: 1000)
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let (sum, overflows) = whole.addingReportingOverflow(isNegative ? -fraction : fraction)
        guard !isTooLarge, !overflows else { throw mistake("a number too large") }
        return .thousandths(sum)
    }

    /// Reads the decimals as thousandths; further digits are cut off.
    private mutating func thousandths() throws(Mistake) -> Int64 {
        position += 1
        let start = position
        skipDigits()
        guard position > start else { throw mistake("no digit after the point") }
        let digits = bytes[start..<position].prefix(3)
        let value = digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
        return (digits.count..<3).reduce(value) { value, _ in value * 10 }
    }

    private mutating func skipDigits() {
        while let byte = next, byte.isASCIIDigit { position += 1 }
    }

    private mutating func string() throws(Mistake) -> String {
        try expect("\"")
        var bytes: [UInt8] = []
        while let byte = next, byte != UInt8(ascii: "\"") {
            position += 1
            if byte == UInt8(ascii: "\\") {
                bytes += try escaped()
            } else if byte < UInt8(ascii: " ") {
                throw mistake("a control character")
            } else {
                bytes.append(byte)
            }
        }
        try expect("\"")
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw mistake("text that is not UTF-8")
        }
        return text
    }

    private mutating func escaped() throws(Mistake) -> [UInt8] {
        guard let byte = next else { throw mistake("nothing after a backslash") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "n"): return [0x0a]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "r"): return [0x0d]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0c]
        case UInt8(ascii: "u"): return try scalar()
        default: throw mistake("an unknown escape")
        }
    }

    /// Reads the four digits after `\u`. A character outside the basic plane is a surrogate pair: `\u` and
    /// four digits follow once more (RFC 8259, section 7).
    private mutating func scalar() throws(Mistake) -> [UInt8] {
        var number = try fourDigits()
        if Self.firstHalves.contains(number), bytes[position...].starts(with: "\\u".utf8) {
            position += 2
            let second = try fourDigits()
            guard Self.secondHalves.contains(second) else {
                throw mistake("one half of a surrogate pair without the other")
            }
            let high = (number - Self.firstHalves.lowerBound) << 10
            number = 0x10000 + high + (second - Self.secondHalves.lowerBound)
        }
        guard let scalar = Unicode.Scalar(number) else {
            throw mistake("an escape that stands for no character")
        }
        return Array(String(scalar).utf8)
    }

    private static let firstHalves: Range<UInt32> = 0xd800..<0xdc00
    private static let secondHalves: Range<UInt32> = 0xdc00..<0xe000

    private mutating func fourDigits() throws(Mistake) -> UInt32 {
        let digits = bytes[position...].prefix(4)
        let text = String(decoding: digits, as: UTF8.self)
        guard digits.count == 4,
            digits.allSatisfy({
                $0.isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0 | 0x20)
            }), let number = UInt32(text, radix: 16)
        else { throw mistake("an escape that stands for no character") }
        position += digits.count
        return number
    }
}
