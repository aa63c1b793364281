import Model
import Toggling

/// What is told to somebody who asks for the history: the files of one interface after the other are read,
/// judged and told in turns, none of which takes more than a few milliseconds. So nobody waits for it but who
/// asks.
public final class HistoryReading {
    /// What comes of a turn.
    public enum Turn {
        /// To be sent; the next turn is taken when the client has it.
        case more([UInt8])
        /// The next turn is taken after a ``pause``.
        case later
        /// The last that is sent.
        case over([UInt8])
    }

    private enum Stage {
        /// The file of the next name is to be opened.
        case between
        case reading(() -> HistoryArchive.Piece)
        /// The entry that comes next.
        case judging(Int)
        /// The item that comes next.
        case telling(Int)
    }

    /// Between two questions for what is on the disk.
    public static let pause: Duration = .milliseconds(20)
    /// Pauses, one after the other; a card that is busy writing takes a second.
    static let mostPauses = 500
    /// Entries that are judged in one turn.
    static let mostEntries = 256

    private let archive: HistoryArchive
    private var names: ArraySlice<String>
    private let since: Int64?
    private var replies: HistoryReplies

    private var stage = Stage.between
    private var pauses = 0
    // Of the interface at hand.
    private var lines = HistoryLines()
    private var entries: [HistoryEntry] = []
    /// Nobody is told of samples, but the last entry says how long an outage has lasted that is not over.
    private var lastSample: HistoryEntry?
    private var reader = TimelineBuilder()
    private var timeline = Timeline(of: "")
    private var items: [HistoryJSON.Item] = []

    /// - Parameters:
    ///   - since: milliseconds since 1970; nil: nothing is left out.
    ///   - wantsMore: in as many replies as it takes, else in one.
    init(_ archive: HistoryArchive, of names: [String], since: Int64?, wantsMore: Bool) {
        self.archive = archive
        self.names = names[...]
        self.since = since
        replies = HistoryReplies(wantsMore: wantsMore)
    }

    /// The next turn; to be taken until it is over, and not after that.
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
        items = HistoryJSON.items(since.map(timeline.since) ?? timeline)
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
