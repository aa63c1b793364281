import Model
import Toggling

/// Makes history entries from the records of one interface. A check makes an entry only if the health
/// changes, an action ends, or a dry run decides anew. The measurements of all checks of the service go into
/// one sample per quarter of an hour.
public struct HistoryRecorder {
    private let command: HistoryEntry.Command
    private var interface: String
    private var condition: Health.Condition = .undetermined
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

    public init(_ command: HistoryEntry.Command, interface: String, at now: Timestamp) {
        self.command = command
        self.interface = interface
        window = SampleWindow(begin: now.sinceBoot)
    }

    /// The entry for the start of the service.
    public func began(program: String, at now: Timestamp) -> HistoryEntry {
        entry(.began(program: program), now)
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

    /// Takes a record, and returns the entries that it makes, in order.
    public mutating func take(_ record: Record, at now: Timestamp) -> [HistoryEntry] {
        interface = record.interface
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
            // A method for an interface that is absent already makes it sick; if it fails, the interface is
            // absent again, without a cycle.
            let isNews = isThere || condition != .undetermined
            (condition, sickSince, withheld, isThere) = (.undetermined, nil, nil, false)
            return isNews ? [entry(.vanished, now)] : []
        case .appeared:
            defer { isThere = true }
            return isThere ? [] : [entry(.appeared, now)]
        default: return []
        }
    }

    /// The entry for a reboot that the program had ordered, made at the first check after it.
    /// - Parameter cause: why the machine was rebooted.
    public mutating func rebooted(
        because cause: RecordedVerdict, _ cycle: CycleReport, at now: Timestamp
    ) -> HistoryEntry {
        condition = cycle.change.after
        let isHealthy = cycle.verdict.conclusion == .healthy
        let action = RecordedAction(
            cause: .sick(cause), action: "recovered", methods: [Method.reboot.rawValue],
            recovery: isHealthy ? .milliseconds(now.sinceBoot) : nil, outcome: RecordedVerdict(cycle.verdict))
        return entry(.acted(action), now)
    }

    private mutating func take(
        _ cycle: CycleReport, _ action: RecordedAction?, at now: Timestamp
    ) -> [HistoryEntry] {
        if command == .run { window.take(cycle.verdict) }
        if cycle.verdict.conclusion == .sick, sickSince == nil { sickSince = now.sinceBoot }
        var entries: [HistoryEntry]
        if let action {
            condition = cycle.change.after
            entries = [entry(.acted(action), now)]
        } else {
            entries = note(cycle.change.after, cycle.verdict, at: now)
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

    private mutating func note(
        _ condition: Health.Condition, _ verdict: Verdict, at now: Timestamp
    ) -> [HistoryEntry] {
        guard condition != self.condition else { return [] }
        self.condition = condition
        // The link was sick from the first of the sick checks in a row, not only from the one that changed
        // the health.
        let since = condition == .sick ? sickSince ?? now.sinceBoot : now.sinceBoot
        return [entry(.changed(RecordedVerdict(verdict), since: since), now)]
    }

    private func entry(_ what: HistoryEntry.What, _ now: Timestamp) -> HistoryEntry {
        HistoryEntry(at: now, interface: interface, command: command, condition: condition, what: what)
    }
}
