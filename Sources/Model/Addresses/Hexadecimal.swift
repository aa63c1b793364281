/// Bytes as two lower-case hexadecimal digits each. Files contain kernel messages and SSIDs in this form.
public enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    /// The digits of the bytes, two for each byte.
    public static func digits(of bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(2 * bytes.count)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return text
    }

    /// The bytes that the digits stand for; nil: the text has an odd length, or a character that is not a
    /// lower-case hexadecimal digit.
    public static func bytes(of digits: ArraySlice<UInt8>) -> [UInt8]? {
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for position in stride(from: digits.startIndex, to: digits.endIndex, by: 2) {
            guard let high = digit(digits[position]), let low = digit(digits[position + 1]) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func digit(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

extension UInt8 {
    /// Whether this byte is one of `0` to `9`.
    public var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
    /// Whether this byte is one of `a` to `z`.
    public var isASCIILowercase: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
    /// Whether this byte is one of `a` to `z` or `A` to `Z`.
    public var isASCIILetter: Bool { (self | 0x20).isASCIILowercase }
}
