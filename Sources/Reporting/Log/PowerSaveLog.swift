import Model

/// Formats the results of keeping one interface's power saving off as log lines. It keeps earlier results, so
/// that it need not log each one: another program may switch power saving on again with each association.
/// The kernel does not say which program did.
public struct PowerSaveLog {
    /// If power saving was on this often within an hour, another program switches it on: new associations
    /// alone would not be that frequent.
    static let fight = 5
    private static let hour: Duration = .seconds(3600)

    /// When power saving was found on within the last hour.
    private var recent: [Instant] = []
    private var wasOn = false
    private var hasWarned = false
    private var hasFailed = false

    public init() {}

    /// The log line for a result, without the interface's name; nil: the result is no news.
    /// - Parameters:
    ///   - result: whether power saving was on and is now off, or why it could not be switched off.
    ///   - reason: why it is kept off.
    ///   - isDryRun: whether nothing is changed, so that power saving is still on.
    public mutating func line(
        for result: Result<Bool, Failure>, because reason: PowerSaveOffReason, isDryRun: Bool, at now: Instant
    ) -> Line? {
        switch result {
        case .failure(let failure):
            defer { hasFailed = true }
            return hasFailed ? nil : Line(.warning, Self.description(failure))
        case .success(false): return nil
        case .success(true):
            recent = recent.filter { now - $0 < Self.hour } + [now]
            defer { wasOn = true }
            if isDryRun {
                return wasOn ? nil : Line(.notice, "power saving is on: a dry run does not switch it off")
            }
            if !wasOn { return Line(.notice, "power saving was on: switched off\(reason.clause)") }
            if recent.count >= Self.fight, !hasWarned {
                hasWarned = true
                return Line(.warning, Self.fightSentence(recent.count))
            }
            let isCalm = recent.count <= 2
            return isCalm ? Line(.notice, "power saving was on again: switched off") : nil
        }
    }

    private static func fightSentence(_ count: Int) -> String {
        "power saving was on again, \(count) times within an hour: another program switches it on;"
            + " configure that program to leave power saving off (NetworkManager: wifi.powersave=2)"
    }

    private static func description(_ failure: Failure) -> String {
        failure.description(after: "could not switch power saving off")
            + (failure.kind == .notPermitted
                ? "" : "; if the driver can never do this, set power-save = leave")
    }
}

extension PowerSaveOffReason {
    /// The reason as the end of a sentence; empty if the user has set it.
    var clause: String {
        switch self {
        case .setting: ""
        case .rule(let rule, let name):
            ", because \(rule.file):\(rule.line) says so for the driver \(name.driver) on \(name.bus)"
        }
    }

    /// The reason as a line of `status`.
    var description: String {
        switch self {
        case .setting: "power saving is kept off (power-save = off)"
        case .rule: "power saving is kept off\(clause)"
        }
    }
}
