/// The lines of a file of the history, put together from the pieces in which it is read. However long a line
/// is, no more is kept of it than one of ours may have.
public struct HistoryLines {
    /// The beginning of a line whose end has not come.
    private var pending: [UInt8] = []

    public init() {}

    /// Of that line, in bytes.
    var kept: Int { pending.count }

    /// Takes what comes next.
    /// - Returns: what became of the lines that are whole now.
    public mutating func take(_ piece: [UInt8]) -> [HistoryLine.Reading] {
        var readings: [HistoryLine.Reading] = []
        var rest = piece[...]
        // Bytes, not characters: a carriage return and its line feed are one Character, and would be no end
        // of a line.
        while let end = rest.firstIndex(of: HistoryLine.lineFeed) {
            keep(rest[..<end])
            readings += self.end()
            rest = rest[end...].dropFirst()
        }
        keep(rest)
        return readings
    }

    /// Nothing comes any more: the last line may have no end.
    public mutating func end() -> [HistoryLine.Reading] {
        defer { pending.removeAll(keepingCapacity: true) }
        return pending.isEmpty ? [] : [HistoryLine.reading(of: pending[...])]
    }

    /// One byte too many is enough to tell that it is no line of ours.
    private mutating func keep(_ part: ArraySlice<UInt8>) {
        pending += part.prefix(HistoryLine.longest + 1 - pending.count)
    }
}
