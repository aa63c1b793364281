import Toggling

nonisolated extension JSONText {
    /// Octets as two digits each.
    static func hexadecimal(_ octets: [UInt8]) -> JSONText {
        .string(String(decoding: Hexadecimal.digits(of: octets), as: UTF8.self))
    }

    func octets() throws(TraceMistake) -> [UInt8] {
        guard let octets = Hexadecimal.octets(of: Array(try text().utf8)[...]) else {
            throw .not("pairs of hexadecimal digits")
        }
        return octets
    }
}
