import Platform

/// Files of `KEY=VALUE` lines, with `[GROUP]` lines or without: what network managers write below /run and
/// read below /etc. Untrusted bytes: lines end at line feeds only, white space around words is trimmed, `#`
/// and `;` begin a comment.
package struct SettingLines {
    /// Larger files are not of this kind, in bytes.
    private static let largest = 1 << 18

    package struct Line: Equatable {
        /// Empty: before the first group.
        var group: String
        var key: String
        var value: String
    }

    package let lines: [Line]

    /// nil: there is no such file, or it cannot be read.
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

    /// The last one wins, as in the programs that read these files.
    package func value(_ key: String, in group: String = "") -> String? {
        lines.last { $0.group == group && $0.key == key }?.value
    }

    /// Written in one of the ways that mean yes to those programs.
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
