nonisolated extension JSONText {
    /// Octets as two digits each.
    static func hexadecimal(_ octets: [UInt8]) -> JSONText {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(2 * octets.count)
        for octet in octets {
            text.append(digits[Int(octet >> 4)])
            text.append(digits[Int(octet & 15)])
        }
        return .string(String(decoding: text, as: UTF8.self))
    }

    func octets() throws(TraceMistake) -> [UInt8] {
        let digits = Array(try text().utf8)
        guard digits.count.isMultiple(of: 2) else { throw .not("pairs of hexadecimal digits") }
        var octets: [UInt8] = []
        octets.reserveCapacity(digits.count / 2)
        for position in stride(from: 0, to: digits.count, by: 2) {
            guard let high = Self.digit(digits[position]), let low = Self.digit(digits[position + 1]) else {
                throw .not("pairs of hexadecimal digits")
            }
            octets.append(high << 4 | low)
        }
        return octets
    }

    private static func digit(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
