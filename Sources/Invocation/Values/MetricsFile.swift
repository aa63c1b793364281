import Model

/// The file to which a service writes its metrics. Services that read the same configuration have one file
/// each: if a service is only for some interfaces, their names are part of the file's name.
public struct MetricsFile: Equatable, Sendable {
    /// The path for this service.
    public let path: String
    /// The parts of the configured name before and after the names of the interfaces.
    private let stem: [UInt8]
    private let ending: [UInt8]

    private static let (slash, dot, dash) = (UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"))
    /// Whether a character is not escaped. A name or glob may contain others, which are escaped as in a URL
    /// (RFC 3986), so that no two files have the same name.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || "._-@".utf8.contains(byte)
    }

    /// - Parameters:
    ///   - path: the path as configured.
    ///   - interfaces: the only interfaces of the service; empty: the service is for all, or no other service
    ///     gets this path.
    init(_ path: String, for interfaces: [InterfacePattern] = []) {
        let bytes = Array(path.utf8)
        let begin = bytes.lastIndex(of: Self.slash).map { $0 + 1 } ?? 0
        let name = bytes[begin...]
        // A dot at the start makes a hidden file and does not begin a suffix.
        let end = name.dropFirst().lastIndex(of: Self.dot) ?? name.endIndex
        stem = Array(name[..<end])
        ending = Array(name[end...])
        guard !interfaces.isEmpty else {
            self.path = path
            return
        }
        let words = interfaces.map { Self.escaped($0.text) }.joined(separator: "+")
        self.path = String(
            decoding: bytes[..<begin] + stem + [Self.dash] + Array(words.utf8) + ending, as: UTF8.self)
    }

    private static func escaped(_ name: String) -> String {
        name.utf8.map { byte in
            if isPlain(byte) { return String(UnicodeScalar(byte)) }
            let digits = String(byte, radix: 16, uppercase: true)
            return "%" + (digits.utf8.count < 2 ? "0" : "") + digits
        }.joined()
    }

    /// Whether a file with this name in the same directory may belong to a service with the same
    /// configuration.
    public func isKin(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        guard bytes.count >= stem.count + ending.count, bytes.starts(with: stem),
            bytes.suffix(ending.count).elementsEqual(ending)
        else { return false }
        let middle = bytes.dropFirst(stem.count).dropLast(ending.count)
        return middle.isEmpty || middle.count > 1 && middle.first == Self.dash
    }
}
