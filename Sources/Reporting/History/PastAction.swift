import Model

/// The last action on a link before this service began, from the history.
public struct PastAction: Hashable, Sendable {
    var action: RecordedAction
    /// When it ended.
    var at: Timestamp
    /// When its boot began, in milliseconds since 1970, according to the wall clock at the last entry of that
    /// boot.
    var bootBegin: Int64

    /// A century, in milliseconds: a longer age is impossible, and nanoseconds could not represent it.
    private static let longest: Int64 = 36_500 * 86_400_000

    /// When it ended, on the current boot clock: before the boot, if it happened in an earlier one.
    /// - Parameter now: with the current boot.
    func instant(at now: Timestamp) -> Instant {
        let isToday = at.boot == now.boot
        let ago = isToday ? now.sinceBoot - at.sinceBoot : now.wall - (bootBegin + at.sinceBoot)
        // A wrong clock must not put it into the future.
        return .boot + .milliseconds(now.sinceBoot - min(max(0, ago), Self.longest))
    }
}

/// Finds it in a history that is read from its beginning, piece by piece.
public struct PastActionSearch {
    private var lines = HistoryLine.Reader()
    private var found: PastAction?

    public init() {}

    /// Takes the next piece. Damaged lines are skipped.
    public mutating func take(_ piece: [UInt8]) { take(lines.take(piece)) }

    /// The end of the file.
    /// - Returns: nil: there was no action, or it is not recorded any more.
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
                // A machine without a hardware clock gets the time later.
                found?.bootBegin = bootBegin
            }
        }
    }
}
