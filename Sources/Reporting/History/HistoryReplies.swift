/// The replies to the call `History`. With the flag `more`, there are as many replies as needed. Without it,
/// there is one reply, with the newest records that fit.
struct HistoryReplies {
    /// The most bytes of records in a single reply.
    static let longest = 1 << 17
    /// With the flag `more`, a reply is sent as soon as it has this many bytes of records. It may exceed this
    /// by one record.
    static let piece = 1 << 14

    private struct Record {
        var begin: Int64
        var json: JSONText
        /// The size in bytes, as written.
        var size: Int
    }

    private let wantsMore: Bool
    private var records: [Record] = []
    private var size = 0
    private var leftOut = 0

    init(wantsMore: Bool) { self.wantsMore = wantsMore }

    /// Adds a record.
    /// - Parameter begin: the time of the event (``Timeline/Item/begin``), in milliseconds since 1970.
    /// - Returns: the record's size in bytes.
    mutating func add(_ json: JSONText, begin: Int64) -> Int {
        let record = Record(begin: begin, json: json, size: json.line.utf8.count)
        records.append(record)
        size += record.size
        if !wantsMore { leaveOutTheOldest() }
        return record.size
    }

    private mutating func leaveOutTheOldest() {
        while size > Self.longest,
            let oldest = records.indices.min(by: { records[$0].begin < records[$1].begin })
        {
            size -= records.remove(at: oldest).size
            leftOut += 1
        }
    }

    /// The bytes that can be sent before the last reply; empty: there are none.
    mutating func next() -> [UInt8] { wantsMore && !records.isEmpty ? reply(continues: true) : [] }

    /// The last reply.
    mutating func last() -> [UInt8] { reply(continues: false) }

    private mutating func reply(continues: Bool) -> [UInt8] {
        defer { (records, size) = ([], 0) }
        return Varlink.reply(
            [("records", .array(records.map(\.json))), ("left_out", .integer(Int64(leftOut)))],
            continues: continues)
    }
}
