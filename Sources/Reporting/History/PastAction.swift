import Model

/// The last action on a link before this service began, from the history.
public struct PastAction: Hashable, Sendable {
    var action: RecordedAction
    /// When the action ended.
    var at: Timestamp
    /// When the boot of the action began, in milliseconds since 1970, by the wall clock at the last entry of
    /// that boot.
    var bootBegin: Int64

    /// The largest age, a century in milliseconds: nanoseconds could not represent a much longer one.
    private static let longest: Int64 = 36_500 * 86_400_000

    /// When the action ended, on the current boot clock; negative if the action belongs to an earlier boot.
    /// - Parameter now: the current time in the current boot.
    func instant(at now: Timestamp) -> Instant {
        let isToday = at.boot == now.boot
        let ago = isToday ? now.sinceBoot - at.sinceBoot : now.wall - (bootBegin + at.sinceBoot)
        // A wrong clock must not put the action into the future.
        return .boot + .milliseconds(now.sinceBoot - min(max(0, ago), Self.longest))
    }
}

/// Finds the last action in a history that is read from its beginning, piece by piece.
public struct PastActionSearch {
    private var lines = HistoryLine.Reader()
    private var found: PastAction?

    public init() {}

    /// Takes the next piece of the file. Damaged lines are skipped.
    public mutating func take(_ piece: [UInt8]) { take(lines.take(piece)) }

    /// Takes the end of the file.
    /// - Returns: the last action; nil: there was none, or it is not recorded any more.
    public mutating func end() -> PastAction? {
        take(lines.end())
        return found
    }

    private mutating func take(_ readings: [HistoryLine.Reading]) {
        for case .entry(let entry) in readings {
            let bootBegin = entry.at.wall - entry.at.sinceBoot
            if case .acted(let action) = entry.what {
                found = PastAction(action: action, at: entry.at, bootBegin: bootBegin)
            } else if entry.at.boot == found?.at.boot {
                // The last entry counts: a machine without a hardware clock gets the right time after its
                // start.
                found?.bootBegin = bootBegin
            }
        }
    }
}
