import Platform

/// A file with lines `KEY=VALUE`, with or without lines `[GROUP]`, such as network managers write below /run
/// and read below /etc. The content is not trusted. A line ends only at a line feed, white space around words
/// is removed, and a line that starts with `#` or `;` is a comment.
package struct SettingLines {
    /// The largest file that is read, in bytes.
    private static let largest = 1 << 18

    package struct Line: Equatable {
        /// The group of the line; empty before the first line `[GROUP]`.
        var group: String
        var key: String
        var value: String
    }

    package let lines: [Line]

    /// Reads a file. Returns nil if it does not exist, or cannot be read.
    package init?(file: String) {
        guard let bytes = try? SmallFile.bytes(file, largest: Self.largest) else { return nil }
        self.init(bytes)
    }

    package init(_ bytes: [UInt8]) {
        var group = ""
        var lines: [Line] = []
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let words = Self.trimmed(line)
            guard let first = words.first, first != UInt8(ascii: "#"), first != UInt8(ascii: ";") else {
                continue
            }
            if first == UInt8(ascii: "["), words.last == UInt8(ascii: "]") {
                group = Self.text(words.dropFirst().dropLast())
            } else if let equals = words.firstIndex(of: UInt8(ascii: "=")) {
                let key = Self.text(Self.trimmed(words[..<equals]))
                lines.append(
                    Line(group: group, key: key, value: Self.text(Self.trimmed(words[(equals + 1)...]))))
            }
        }
        self.lines = lines
    }

    /// The value of a key; nil if it is not set. If the key occurs several times, the last value counts, as
    /// in the programs that read these files.
    package func value(_ key: String, in group: String = "") -> String? {
        lines.last { $0.group == group && $0.key == key }?.value
    }

    /// Whether a key has one of the values that mean "yes" to these programs.
    package func isTrue(_ key: String, in group: String = "") -> Bool {
        ["true", "yes", "on", "1"].contains(value(key, in: group)?.lowercased() ?? "")
    }

    package static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0d }
        let head = bytes.drop(while: isBlank)
        return head.prefix(upTo: (head.lastIndex { !isBlank($0) } ?? head.startIndex - 1) + 1)
    }

    package static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
