/// Assembles the lines of a history file from the pieces in which it is read. Of an overlong line it keeps no
/// more than the longest valid one.
public struct HistoryLines {
    /// The beginning of an incomplete line.
    private var pending: [UInt8] = []

    public init() {}

    /// The length of that line, in bytes.
    var kept: Int { pending.count }

    /// Takes the next piece.
    /// - Returns: the results for the lines that are complete now.
    public mutating func take(_ piece: [UInt8]) -> [HistoryLine.Reading] {
        var readings: [HistoryLine.Reading] = []
        var rest = piece[...]
        // As bytes: a carriage return and its line feed are one Character, which would not end a line.
        while let end = rest.firstIndex(of: HistoryLine.lineFeed) {
            keep(rest[..<end])
            readings += self.end()
            rest = rest[end...].dropFirst()
        }
        keep(rest)
        return readings
    }

    /// The end of the file: the last line may lack its line feed.
    public mutating func end() -> [HistoryLine.Reading] {
        defer { pending.removeAll(keepingCapacity: true) }
        return pending.isEmpty ? [] : [HistoryLine.reading(of: pending[...])]
    }

    /// One byte too many is enough to recognise an invalid line.
    private mutating func keep(_ part: ArraySlice<UInt8>) {
        pending += part.prefix(HistoryLine.longest + 1 - pending.count)
    }
}
