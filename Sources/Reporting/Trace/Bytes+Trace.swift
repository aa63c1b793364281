import Model
import Toggling

extension JSONText {
    /// Bytes as two digits each.
    static func hexadecimal(_ bytes: [UInt8]) -> JSONText {
        .string(String(decoding: Hexadecimal.digits(of: bytes), as: UTF8.self))
    }

    func bytes() throws(TraceMistake) -> [UInt8] {
        guard let bytes = Hexadecimal.bytes(of: Array(try text().utf8)[...]) else {
            throw .not("pairs of hexadecimal digits")
        }
        return bytes
    }
}
