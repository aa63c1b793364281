import Glibc

/// Reads the control messages of a datagram (cmsg(3)). Checks every length.
public struct ControlMessages {
    private let bytes: [UInt8]

    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    private static let word = MemoryLayout<Int>.size
    private static let headerSize = word + 8

    /// The data of the first message for whose level and type `isWanted` is true; nil if there is none.
    public func data(where isWanted: (_ level: Int32, _ type: Int32) -> Bool) -> [UInt8]? {
        var start = 0
        while start + Self.headerSize <= bytes.count {
            let (length, level, type) = bytes.withUnsafeBytes { raw in
                (
                    raw.loadUnaligned(fromByteOffset: start, as: Int.self),
                    raw.loadUnaligned(fromByteOffset: start + Self.word, as: Int32.self),
                    raw.loadUnaligned(fromByteOffset: start + Self.word + 4, as: Int32.self)
                )
            }
            guard length >= Self.headerSize, length <= bytes.count - start else { return nil }
            if isWanted(level, type) { return Array(bytes[start + Self.headerSize..<start + length]) }
            start += (length + Self.word - 1) / Self.word * Self.word
        }
        return nil
    }
}
