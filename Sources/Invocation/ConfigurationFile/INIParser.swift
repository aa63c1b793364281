import CInih

/// Runs inih's ini_parse_stream, passes the lines to inih one by one, and collects what inih finds.
final class INIParser {
    struct Line {
        var number: Int
        var bytes: [UInt8]
    }

    /// A line with a key that no file can contain, because control characters are refused before.
    static let sectionMark: [UInt8] = [sectionKey, UInt8(ascii: "=")]
    private static let sectionKey: UInt8 = 1

    private let lines: [Line]
    private var given = 0
    private(set) var entries: [INIText.Entry] = []

    init(_ lines: [Line]) { self.lines = lines }

    /// Parses all lines. Returns the number of the first line that inih did not understand; nil: there is
    /// none.
    func parse() -> Int? {
        let this = Unmanaged.passUnretained(self).toOpaque()
        let failed = ini_parse_stream(
            { buffer, size, stream in
                guard let buffer, let stream else { return nil }
                let parser = Unmanaged<INIParser>.fromOpaque(stream).takeUnretainedValue()
                return parser.giveLine(to: buffer, size: Int(size)) ? buffer : nil
            },
            this,
            { user, section, name, value in
                guard let user, let section, let name, let value else { return 0 }
                let parser = Unmanaged<INIParser>.fromOpaque(user).takeUnretainedValue()
                parser.take(section: section, name: name, value: value)
                return 1
            },
            this)
        // A positive result is the number of a wrong line; if inih is out of memory, it is negative.
        guard failed != 0 else { return nil }
        let index = Int(failed) - 1
        return lines.indices.contains(index) ? lines[index].number : lines.last?.number ?? 1
    }

    /// Copies the next line into the buffer, like fgets(3). Returns false if there is none.
    private func giveLine(to buffer: UnsafeMutablePointer<CChar>, size: Int) -> Bool {
        guard given < lines.count, size > 0 else { return false }
        // The length was checked before; the prefix is for the case that the buffer is smaller than expected.
        let bytes = lines[given].bytes.prefix(size - 1)
        for (index, byte) in bytes.enumerated() { buffer[index] = CChar(bitPattern: byte) }
        buffer[bytes.count] = 0
        given += 1
        return true
    }

    private func take(
        section: UnsafePointer<CChar>, name: UnsafePointer<CChar>, value: UnsafePointer<CChar>
    ) {
        let key = String(cString: name)
        let isMark = key.utf8.elementsEqual([Self.sectionKey])
        entries.append(
            INIText.Entry(
                line: lines[given - 1].number, section: String(cString: section), name: isMark ? nil : key,
                value: String(cString: value)))
    }
}
