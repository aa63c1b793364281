/// What becomes of single probes: kept, shown, and reckoned with where silence calls for a bounce.
extension Toggler {
    /// The question to the kernel with which a look begins.
    func survey(for inquiry: Inquiry) -> Effect {
        if let span = inquiry.lifeSpan { return .surveyWithLife(inquiry.number, heardWithin: span) }
        if let cause = inquiry.cause, sparesUsers(from: cause) { return .surveyWithLogins(inquiry.number) }
        return inquiry.scope == .full && qualityWindow.asksForPowerSave(settings)
            ? .surveyWithPowerSave(inquiry.number) : .survey(inquiry.number)
    }

    /// The health has taken this verdict into account.
    mutating func noteQuality(_ verdict: Verdict, _ inquiry: Inquiry, at now: Instant) {
        guard mission == .watch, let survey = inquiry.survey else { return }
        qualityWindow.take(
            inquiry.outcomes(at: now), in: Network(survey), isSick: verdict.conclusion == .sick,
            isOutage: health.condition == .sick, settings: settings, at: now)
    }

    /// Sick verdicts in a row before the link counts as sick. Where probes are lost all the time, silence has to
    /// last longer than chance would make it.
    var fall: Int {
        guard lastVerdict?.reason.isSilence == true else { return settings.fall }
        return max(settings.fall, qualityWindow.rowBeyondChance(settings))
    }
}
