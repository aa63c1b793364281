import Model

/// What the history tells of a link before this service began.
public struct PastEvents: Hashable, Sendable {
    /// The last action; nil: there was none, or it is not recorded any more.
    var action: PastAction?
    /// The last outage that has ended.
    var outage: PastOutage?
    /// The first sick check of an outage that had not ended at the last entry; nil: there is none.
    var sickSince: PastMoment?
    /// The first check after the last reboot that this program carried out for the link.
    var reboot: PastMoment?

    fileprivate mutating func hear(of entry: Timestamp) {
        action?.moment.hear(of: entry)
        outage?.begin.hear(of: entry)
        outage?.end.hear(of: entry)
        sickSince?.hear(of: entry)
        reboot?.hear(of: entry)
    }
}

/// An action, and when it ended.
public struct PastAction: Hashable, Sendable {
    var action: RecordedAction
    var moment: PastMoment
}

/// An outage: the first sick check, and the end.
public struct PastOutage: Hashable, Sendable {
    var begin: PastMoment
    var end: PastMoment
}

/// A moment in the history, of this boot or of an earlier one.
public struct PastMoment: Hashable, Sendable {
    private(set) var at: Timestamp
    /// When the boot of this moment began, in milliseconds since 1970, by the wall clock at the last entry of
    /// that boot.
    private(set) var bootBegin: Int64

    /// The largest age, a century in milliseconds: nanoseconds could not represent a much longer one.
    private static let longest: Int64 = 36_500 * 86_400_000

    init(at instant: Timestamp) {
        at = instant
        bootBegin = instant.wall - instant.sinceBoot
    }

    /// Takes the time of a later entry. The last entry of a boot counts: a machine without a hardware clock
    /// gets the right time after its start.
    mutating func hear(of entry: Timestamp) {
        if entry.boot == at.boot { bootBegin = entry.wall - entry.sinceBoot }
    }

    /// The moment on the current boot clock. A moment of an earlier boot is negative, unless the wall clock
    /// is wrong.
    /// - Parameter now: the current time in the current boot.
    func instant(at now: Timestamp) -> Instant {
        let isToday = at.boot == now.boot
        let ago = isToday ? now.sinceBoot - at.sinceBoot : now.wall - (bootBegin + at.sinceBoot)
        // A wrong clock must not put the moment into the future.
        return .boot + .milliseconds(now.sinceBoot - min(max(0, ago), Self.longest))
    }
}

/// Finds the last events in a history that is read from its beginning, piece by piece.
public struct PastEventsSearch {
    private var lines = HistoryLine.Reader()
    private var found = PastEvents()

    public init() {}

    /// Takes the next piece of the file. Damaged lines are skipped.
    public mutating func take(_ piece: [UInt8]) { take(lines.take(piece)) }

    /// Takes the end of the file.
    public mutating func end() -> PastEvents {
        take(lines.end())
        return found
    }

    private mutating func take(_ readings: [HistoryLine.Reading]) {
        for case .entry(let entry) in readings {
            found.hear(of: entry.at)
            judge(entry)
            guard case .acted(let action) = entry.what else { continue }
            found.action = PastAction(action: action, moment: PastMoment(at: entry.at))
            if action.isCompletedReboot { found.reboot = PastMoment(at: entry.at) }
        }
    }

    private mutating func judge(_ entry: HistoryEntry) {
        if found.sickSince == nil, let begin = entry.outageBegin {
            found.sickSince = PastMoment(at: begin)
            found.sickSince?.hear(of: entry.at)
        }
        if entry.endsOutage, let begin = found.sickSince {
            found.outage = PastOutage(begin: begin, end: PastMoment(at: entry.at))
            found.sickSince = nil
        }
    }
}

extension RecordedAction {
    /// Whether this is a reboot after which the service has checked the link.
    fileprivate var isCompletedReboot: Bool {
        action == "recovered" && methods == [Method.reboot.rawValue]
    }
}
