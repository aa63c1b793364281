import Model

/// What the history tells of a link before this service began.
public struct PastEvents: Hashable, Sendable {
    /// The last action; nil: there was none, or it is not recorded any more.
    var action: PastAction?
    /// The last outage that has ended.
    var outage: PastOutage?
    /// The first sick check of an outage that had not ended at the last entry; nil: there is none.
    var sickSince: PastMoment?
    /// When the health of the link was first known after the last reboot that this program carried out for
    /// the link.
    var reboot: PastMoment?

    fileprivate mutating func hear(of boot: String, begin: Int64) {
        action?.moment.hear(of: boot, begin: begin)
        outage?.begin.hear(of: boot, begin: begin)
        outage?.end.hear(of: boot, begin: begin)
        sickSince?.hear(of: boot, begin: begin)
        reboot?.hear(of: boot, begin: begin)
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
    /// that boot (``BootBegins``).
    private(set) var bootBegin: Int64

    /// - Parameter bootBegin: when its boot began, in milliseconds since 1970; nil: its wall-clock time less
    ///   its time since boot.
    init(at instant: Timestamp, bootBegin: Int64? = nil) {
        at = instant
        self.bootBegin = bootBegin ?? instant.wall - instant.sinceBoot
    }

    /// Takes the beginning of a boot, computed from a later entry. The last entry of a boot counts: a machine
    /// without a hardware clock gets the right time after its start.
    fileprivate mutating func hear(of boot: String, begin: Int64) {
        if boot == at.boot { bootBegin = begin }
    }

    /// The moment on the current boot clock. A moment of an earlier boot is negative, unless the wall clock
    /// is wrong.
    /// - Parameter now: the current time in the current boot.
    func instant(at now: Timestamp) -> Instant {
        let isToday = at.boot == now.boot
        let ago = isToday ? now.sinceBoot - at.sinceBoot : now.wall - (bootBegin + at.sinceBoot)
        // A wrong clock must not put the moment into the future.
        return .boot + .milliseconds(now.sinceBoot - min(max(0, ago), Timestamp.longestAge))
    }
}

/// Finds the last events in a history that is read from its beginning, piece by piece.
public struct PastEventsSearch {
    private var lines = HistoryLine.Reader()
    private var found = PastEvents()
    private var boots = BootBegins()

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
            let bootBegin = boots.hear(of: entry.at)
            let moment = PastMoment(at: entry.at, bootBegin: bootBegin)
            found.hear(of: entry.at.boot, begin: bootBegin)
            judge(entry, at: moment)
            guard case .acted(let action) = entry.what else { continue }
            found.action = PastAction(action: action, moment: moment)
            if action.isCompletedReboot { found.reboot = moment }
        }
    }

    private mutating func judge(_ entry: HistoryEntry, at moment: PastMoment) {
        if found.sickSince == nil, let begin = entry.outageBegin {
            found.sickSince = PastMoment(at: begin, bootBegin: moment.bootBegin)
        }
        if entry.endsOutage, let begin = found.sickSince {
            found.outage = PastOutage(begin: begin, end: moment)
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
