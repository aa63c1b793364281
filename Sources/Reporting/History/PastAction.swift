import Model
import Toggling

/// The last thing that was done about a link before this service began, as the history has it.
public struct PastAction: Hashable, Sendable {
    var action: HistoryAction
    /// When it was over.
    var at: Timestamp
    /// When its boot began, in milliseconds since 1970, by the wall clock as it stood when that boot was
    /// heard of last.
    var bootBegin: Int64

    /// A century, in milliseconds: what is longer ago no clock has told, and nanoseconds could not count it.
    private static let longest: Int64 = 36_500 * 86_400_000

    /// When it was over, on the boot clock of today: before the boot, where it was in an earlier one.
    /// - Parameter now: with the boot of today.
    func instant(at now: Timestamp) -> Instant {
        let isToday = at.boot == now.boot
        let ago = isToday ? now.sinceBoot - at.sinceBoot : now.wall - (bootBegin + at.sinceBoot)
        // Where a clock was wrong it is not in the future.
        return .boot + .milliseconds(now.sinceBoot - min(max(0, ago), Self.longest))
    }
}

/// Finds it in a history that is read from its beginning, a piece at a time.
public struct PastActionSearch {
    private var lines = HistoryLines()
    private var found: PastAction?

    public init() {}

    /// Takes what comes next. What is damaged is left out.
    public mutating func take(_ piece: [UInt8]) { take(lines.take(piece)) }

    /// Nothing comes any more.
    /// - Returns: nil: nothing was done, or it is not known any more.
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
                // A machine without a clock of its own is told the time later.
                found?.bootBegin = bootBegin
            }
        }
    }
}
