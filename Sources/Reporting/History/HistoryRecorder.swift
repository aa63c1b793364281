import Model
import Toggling

/// Makes history entries from the records of one interface. A check makes an entry only if the health
/// changes, an action ends, or a dry run decides anew. The measurements of all checks of the service go into
/// one sample per quarter of an hour.
///
/// While the health does not change, samples fill the file, and earlier entries are dropped in time. A sample
/// has the health of the link, but no verdict. So the health of a sick link is recorded again each day. The
/// health of any link is recorded again after a change of its name, because each name has its own file.
public struct HistoryRecorder {
    private let command: HistoryEntry.Command
    private var interface: String
    private var condition: Health.Condition = .undetermined
    /// When the link came into its health, in milliseconds since boot.
    private var since: Int64
    /// When the health was last recorded, in milliseconds since boot; nil: not since the start or the last
    /// change of the interface's name.
    private var recordedAt: Int64?
    /// The version of the program.
    private var program = ""
    /// When the first of the sick verdicts in a row was found, in milliseconds since boot; nil: the last
    /// verdict does not count as sick (``CycleReport/isPartOfOutage``).
    private var sickSince: Int64?
    private var window: SampleWindow
    /// The methods that the dry run would have tried in this outage; empty: it would have raised the link;
    /// nil: it would have done nothing so far, or this is no dry run.
    private var withheld: [Method]?
    private var isThere = true

    /// A shorter suspend is not recorded, because some machines suspend for seconds all day long.
    private static let shortestSleep: Duration = .seconds(60)
    /// After this time, in milliseconds, the health of a sick link is recorded again.
    private static let longestSilence: Int64 = 86_400_000

    public init(_ command: HistoryEntry.Command, interface: String, at now: Timestamp) {
        self.command = command
        self.interface = interface
        window = SampleWindow(begin: now.sinceBoot)
        since = now.sinceBoot
    }

    /// The entry for the start of the service.
    public mutating func began(program: String, at now: Timestamp) -> HistoryEntry {
        self.program = program
        return entry(.began(program: program), now)
    }

    /// The entries for the end of the service: the measurements until then, and the end itself.
    public mutating func ended(at now: Timestamp) -> [HistoryEntry] {
        let sample = window.close(at: now.sinceBoot).map { entry(.sampled($0), now) }
        return [sample, entry(.ended, now)].compactMap(\.self)
    }

    /// The entry for a suspend; nil: it was too short.
    /// - Parameter duration: how long the machine was suspended, until now.
    public func slept(_ duration: Duration, at now: Timestamp) -> HistoryEntry? {
        duration >= Self.shortestSleep ? entry(.slept(duration), now) : nil
    }

    /// When ``sampleOfAbsence(at:)`` has the next entry, in milliseconds since boot; nil: the interface is
    /// there, or this is no service.
    public var absenceSampleDue: Int64? { command == .run && !isThere ? window.end : nil }

    /// The entry for a quarter of an hour in which the interface was absent, and so not checked. It shows how
    /// long the absence has lasted at least, in case nobody records its end. Returns nil if it is not due.
    public mutating func sampleOfAbsence(at now: Timestamp) -> HistoryEntry? {
        guard let due = absenceSampleDue, due <= now.sinceBoot else { return nil }
        return entry(.sampled(window.close(at: now.sinceBoot) ?? .ofAbsence), now)
    }

    /// Takes a record, and returns the entries that it makes, in order.
    public mutating func take(_ record: Record, at now: Timestamp) -> [HistoryEntry] {
        let renamed = rename(record.interface, at: now)
        return renamed + entries(of: record, at: now)
    }

    /// The entry that begins the file of a new name; empty: the interface has the same name.
    private mutating func rename(_ name: String, at now: Timestamp) -> [HistoryEntry] {
        guard name != interface else { return [] }
        (interface, recordedAt) = (name, nil)
        return command == .run ? [entry(.began(program: program), now)] : []
    }

    private mutating func entries(of record: Record, at now: Timestamp) -> [HistoryEntry] {
        if let cycle = record.cycle {
            // If the device had lost the interface, the bounce has brought the interface back.
            let back = isThere ? [] : [entry(.appeared, now)]
            isThere = true
            return back + take(cycle, record.action, at: now)
        }
        switch record.kind {
        // The action itself is recorded at its end, except a reboot.
        case .bounceBegun:
            guard let verdict = record.verdict else { return [] }
            return note(.sick, verdict, at: now)
                + (record.method == .reboot ? [entry(.acted(RecordedAction(rebooting: verdict)), now)] : [])
        case .absent:
            // The start of a method makes the health sick, even if the interface is absent. If the method
            // fails, the interface is absent again, without a cycle.
            let isNews = isThere || condition != .undetermined
            become(.undetermined, at: now)
            (sickSince, withheld, isThere) = (nil, nil, false)
            return isNews ? [entry(.vanished, now)] : []
        case .appeared:
            defer { isThere = true }
            return isThere ? [] : [entry(.appeared, now)]
        default: return []
        }
    }

    /// The entry for a reboot that the program had ordered, made when the health is known after it.
    /// - Parameters:
    ///   - cause: why the machine was rebooted.
    ///   - verdict, condition: the state of the link after it.
    public mutating func rebooted(
        because cause: RecordedVerdict, _ verdict: Verdict, _ condition: Health.Condition, at now: Timestamp
    ) -> HistoryEntry {
        become(condition, at: now)
        let isHealthy = verdict.conclusion == .healthy
        let action = RecordedAction(
            cause: .sick(cause), action: "recovered", methods: [Method.reboot.rawValue],
            recovery: isHealthy ? .milliseconds(now.sinceBoot) : nil, outcome: RecordedVerdict(verdict))
        return entry(.acted(action), now)
    }

    private mutating func take(
        _ cycle: CycleReport, _ action: RecordedAction?, at now: Timestamp
    ) -> [HistoryEntry] {
        if command == .run { window.take(cycle.verdict) }
        if cycle.verdict.conclusion == .sick, sickSince == nil { sickSince = now.sinceBoot }
        var entries: [HistoryEntry]
        if let action {
            become(cycle.change.after, at: now)
            entries = [entry(.acted(action), now)]
        } else {
            entries = note(
                cycle.change.after, cycle.verdict, isJudged: cycle.change.streak > 0, at: now)
        }
        entries += withhold(cycle, at: now)
        if !cycle.isPartOfOutage { sickSince = nil }
        if window.isOver(at: now.sinceBoot), let sample = window.close(at: now.sinceBoot) {
            entries.append(entry(.sampled(sample), now))
        }
        return entries
    }

    /// Records the decision of a dry run once in each outage, and again when the decision changes. Most
    /// checks repeat the decision of the check before.
    private mutating func withhold(_ cycle: CycleReport, at now: Timestamp) -> [HistoryEntry] {
        guard case .skipped(.dryRun(let methods)) = cycle.action else {
            if !cycle.isPartOfOutage { withheld = nil }
            return []
        }
        defer { withheld = methods }
        let isSick = cycle.verdict.conclusion == .sick
        let cause: ActionCause =
            methods.isEmpty ? .block : isSick ? .sick(RecordedVerdict(cycle.verdict)) : .asked
        return methods == withheld
            ? [] : [entry(.withheld(cause, methods: methods.map(\.rawValue)), now)]
    }

    /// - Parameter isJudged: whether the verdict counts. It does not while the state of the interface forbids
    ///   a bounce.
    private mutating func note(
        _ condition: Health.Condition, _ verdict: Verdict, isJudged: Bool = true, at now: Timestamp
    ) -> [HistoryEntry] {
        guard become(condition, at: now) || isDue(verdict, isJudged, at: now) else { return [] }
        recordedAt = now.sinceBoot
        return [entry(.changed(RecordedVerdict(verdict), since: since), now)]
    }

    /// Takes the health of the link into account. If it has changed, an entry must follow.
    /// - Returns: whether it has changed.
    @discardableResult private mutating func become(
        _ condition: Health.Condition, at now: Timestamp
    ) -> Bool {
        guard condition != self.condition else { return false }
        (self.condition, recordedAt) = (condition, now.sinceBoot)
        // The link was sick from the first of the sick checks in a row, not only from the one that changed
        // the health.
        since = condition == .sick ? sickSince ?? now.sinceBoot : now.sinceBoot
        return true
    }

    /// Whether to record the health although it has not changed. If it is healthy or sick, the verdict must
    /// agree with it.
    private func isDue(_ verdict: Verdict, _ isJudged: Bool, at now: Timestamp) -> Bool {
        switch (condition, verdict.conclusion) {
        case (.sick, .sick): recordedAt.map { now.sinceBoot - $0 >= Self.longestSilence } ?? true
        case (.healthy, .healthy): recordedAt == nil
        // At the start, the health is undetermined, and no entry says so. An entry now would end an outage of
        // an earlier run, so there is one only if the verdict does not count.
        case (.undetermined, _): recordedAt == nil && !isJudged
        default: false
        }
    }

    private func entry(_ what: HistoryEntry.What, _ now: Timestamp) -> HistoryEntry {
        HistoryEntry(at: now, interface: interface, command: command, condition: condition, what: what)
    }
}
