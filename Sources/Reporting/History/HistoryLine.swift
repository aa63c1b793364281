import Model

/// A history entry as a line of a file: the checksum of the JSON object, a blank, and this object.
///
///     5d2c91aa {"kind":"ended","interface":"wlan0", ...}
///
/// A line begins with a line feed and ends with one, so that it stays whole even if the line before it is
/// torn.
public enum HistoryLine {
    /// The result of reading one line.
    public enum Reading: Equatable {
        case entry(HistoryEntry)
        /// The line is torn, modified, or longer than allowed.
        case damaged
        /// The line is complete, but of a kind that this version does not know.
        case strange
    }

    /// The longest line in bytes, with its line feeds.
    public static let longest = 8192

    static let lineFeed = UInt8(ascii: "\n")
    private static let blank = UInt8(ascii: " ")
    private static let digits = 8

    /// The line of an entry, with its line feeds. If it is too long, parts of the entry are left out.
    public static func bytes(of entry: HistoryEntry) -> [UInt8] {
        let line = bytes(of: entry.json.stored)
        return line.count <= longest ? line : bytes(of: entry.bare.json.stored)
    }

    static func bytes(of json: JSONText) -> [UInt8] {
        let text = Array(json.line.utf8)
        let sum = String(Checksum.of(text[...]), radix: 16)
        let padded = String(repeating: "0", count: digits - sum.count) + sum
        return [lineFeed] + Array(padded.utf8) + [blank] + text + [lineFeed]
    }

    /// Reads the lines of a file, or of a part of it.
    public static func readings(of file: [UInt8]) -> [Reading] {
        var reader = Reader()
        return reader.take(file) + reader.end()
    }

    /// Reads one line.
    /// - Parameter line: the line without its line feeds.
    static func reading(of line: ArraySlice<UInt8>) -> Reading {
        let text = line.dropFirst(digits + 1)
        guard line.count <= longest, !text.isEmpty, line[line.startIndex + digits] == blank,
            checksum(line.prefix(digits)) == Checksum.of(text)
        else { return .damaged }
        guard let json = try? JSONReader.value(of: text), let entry = HistoryEntry(json) else {
            return .strange
        }
        return .entry(entry)
    }

    /// Parses hexadecimal digits in lower case, without a sign; otherwise nil.
    private static func checksum(_ digits: ArraySlice<UInt8>) -> UInt32? {
        let isPlain = digits.allSatisfy {
            $0.isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
        }
        return isPlain ? UInt32(String(decoding: digits, as: UTF8.self), radix: 16) : nil
    }

    // MARK: In pieces

    /// Assembles lines from the pieces in which a file is read. It keeps no more of an overlong line than
    /// needed to recognise it.
    public struct Reader {
        /// The beginning of an incomplete line.
        private(set) var pending: [UInt8] = []

        public init() {}

        /// Takes the next piece of the file.
        /// - Returns: the results for the lines that are complete now.
        public mutating func take(_ piece: [UInt8]) -> [Reading] {
            var readings: [Reading] = []
            var rest = piece[...]
            // Searches bytes: Swift takes CR LF for one Character, which is not equal to a line feed.
            while let end = rest.firstIndex(of: lineFeed) {
                keep(rest[..<end])
                readings += self.end()
                rest = rest[end...].dropFirst()
            }
            keep(rest)
            return readings
        }

        /// Takes the end of the file. The last line may lack its line feed.
        public mutating func end() -> [Reading] {
            defer { pending.removeAll(keepingCapacity: true) }
            return pending.isEmpty ? [] : [reading(of: pending[...])]
        }

        /// Keeps at most one byte more than the longest valid line, which suffices to recognise an invalid
        /// one.
        private mutating func keep(_ part: ArraySlice<UInt8>) {
            pending += part.prefix(longest + 1 - pending.count)
        }
    }
}

/// CRC-32 as in Ethernet and gzip (ISO-HDLC). It misses one torn line in 2³².
enum Checksum {
    private static let polynomial: UInt32 = 0xedb8_8320

    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ polynomial : sum >> 1 }
    }

    static func of(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        ~bytes.reduce(UInt32.max) { table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ $0 >> 8 }
    }
}
