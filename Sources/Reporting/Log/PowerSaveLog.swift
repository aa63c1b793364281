import Model

/// Formats what became of the power saving of one interface that is kept off. Keeps what was logged: who
/// switches it on again may do so with each association, and the kernel does not tell who it was.
public struct PowerSaveLog {
    /// So often within an hour, and it is more than an association now and then: an owner that fights.
    static let fight = 5
    private static let hour: Duration = .seconds(3600)

    /// When it was switched off, within the last hour.
    private var recent: [Instant] = []
    private var wasOn = false
    private var hasWarned = false
    private var hasFailed = false

    public init() {}

    /// The line without the interface's name; nil: it is no news.
    /// - Parameters:
    ///   - result: whether it was on, and is off now, or why it could not be switched off.
    ///   - isDryRun: it is still on.
    public mutating func line(
        for result: Result<Bool, Failure>, isDryRun: Bool, at now: Instant
    ) -> Line? {
        switch result {
        case .failure(let failure):
            defer { hasFailed = true }
            return hasFailed ? nil : Line(.warning, Self.sentence(failure))
        case .success(false): return nil
        case .success(true):
            recent = recent.filter { now - $0 < Self.hour } + [now]
            defer { wasOn = true }
            if isDryRun { return wasOn ? nil : Line(.notice, "power saving is on: a dry run leaves it so") }
            if !wasOn { return Line(.notice, "power saving was on: switched off") }
            if recent.count >= Self.fight, !hasWarned {
                hasWarned = true
                return Line(.warning, Self.fightSentence(recent.count))
            }
            let isCalm = recent.count <= 2
            return isCalm ? Line(.notice, "power saving was on again: switched off") : nil
        }
    }

    private static func fightSentence(_ count: Int) -> String {
        "power saving was on again, \(count) times within an hour: another program switches it on; tell it to"
            + " leave it off (NetworkManager: wifi.powersave=2)"
    }

    private static func sentence(_ failure: Failure) -> String {
        failure.sentence("could not switch power saving off")
            + (failure.kind == .notPermitted ? "" : "; if its driver never can, remove power-save = off")
    }
}
