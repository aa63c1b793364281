import Model

/// Answers a client's request for the history: it reads, parses and sends the files of one interface after
/// the other. It works in turns of a few milliseconds, so that only this client waits.
public final class HistoryReading {
    /// The result of a turn.
    public enum Turn {
        /// Bytes to send; take the next turn when the client has received them.
        case more([UInt8])
        /// No bytes yet; take the next turn after a ``pause``.
        case later
        /// The last bytes to send.
        case over([UInt8])
    }

    private enum Stage {
        /// The file of the next interface is to be opened.
        case between
        case reading(() -> HistoryArchive.Piece)
        /// The entries are processed, from this index on.
        case judging(Int)
        /// The items are sent, from this index on.
        case telling(Int)
    }

    /// The wait between two attempts to read data that is not in memory.
    public static let pause: Duration = .milliseconds(20)
    /// After this many pauses in a row, reading fails. A memory card that is busy writing may take a second
    /// to answer.
    static let mostPauses = 500
    /// The number of entries that are processed in one turn.
    static let mostEntries = 256

    private let archive: HistoryArchive
    private var names: ArraySlice<String>
    private let since: Int64?
    private var replies: HistoryReplies

    private var stage = Stage.between
    private var pauses = 0
    // The following properties belong to the current interface.
    private var lines = HistoryLine.Reader()
    private var entries: [HistoryEntry] = []
    /// The last entry if it is a sample. Samples are not sent, but the time of the last entry shows how long
    /// an unfinished outage has lasted.
    private var lastSample: HistoryEntry?
    private var reader = TimelineBuilder()
    private var timeline = Timeline(of: "")
    private var items: [Timeline.Item] = []

    /// - Parameters:
    ///   - since: the time in milliseconds since 1970 before which events are left out; nil: none are.
    ///   - wantsMore: whether to answer in as many replies as needed, or in one.
    init(_ archive: HistoryArchive, of names: [String], since: Int64?, wantsMore: Bool) {
        self.archive = archive
        self.names = names[...]
        self.since = since
        replies = HistoryReplies(wantsMore: wantsMore)
    }

    /// The next turn; call it until the result is `over`.
    public func turn() -> Turn {
        switch stage {
        case .between: return open()
        case .reading(let next): return read(next())
        case .judging(let first): return judge(from: first)
        case .telling(let first): return tell(from: first)
        }
    }

    private func open() -> Turn {
        guard let name = names.popFirst() else { return .over(replies.last()) }
        reader = TimelineBuilder()
        timeline = Timeline(of: name)
        stage = .reading(archive.open(name))
        return .more([])
    }

    private func read(_ piece: HistoryArchive.Piece) -> Turn {
        switch piece {
        case .bytes(let bytes): keep(lines.take(bytes))
        case .later:
            pauses += 1
            guard pauses <= Self.mostPauses else {
                return .over(
                    Varlink.reply(.notRead("\(timeline.interface): the disk does not answer in time")))
            }
            return .later
        case .failed(let reason): return .over(Varlink.reply(.notRead(reason)))
        case .end:
            keep(lines.end())
            entries += [lastSample].compactMap(\.self)
            lastSample = nil
            stage = .judging(0)
        }
        pauses = 0
        return .more([])
    }

    private func keep(_ readings: [HistoryLine.Reading]) {
        for case .entry(let entry) in readings {
            reader.hear(of: entry.at)
            if case .sampled = entry.what {
                lastSample = entry
            } else {
                lastSample = nil
                entries.append(entry)
            }
        }
    }

    private func judge(from first: Int) -> Turn {
        let end = min(first + Self.mostEntries, entries.count)
        for entry in entries[first..<end] { reader.take(entry, into: &timeline) }
        stage = .judging(end)
        if end == entries.count { close() }
        return .more([])
    }

    private func close() {
        reader.end(into: &timeline)
        items = (since.map(timeline.since) ?? timeline).items
        entries = []
        stage = .telling(0)
    }

    private func tell(from first: Int) -> Turn {
        var size = 0
        var next = first
        while next < items.count, size < HistoryReplies.piece {
            let json = HistoryJSON.object(items[next], of: timeline.interface, archive.wallTime)
            size += replies.add(json, begin: items[next].begin)
            next += 1
        }
        stage = .telling(next)
        if next == items.count {
            items = []
            timeline = Timeline(of: "")
            stage = .between
        }
        return .more(replies.next())
    }
}
