/// Whether somebody else is heard where the one who was asked keeps silent: looked for before a bounce alone.
extension Toggler {
    /// How long ago somebody may have been heard for the link to be alive in spite of what calls for a bounce: after
    /// the silence had begun, and not too long ago. nil: whoever is heard, it is bounced.
    func livenessWindow(for cause: BounceCause, at now: Instant) -> Duration? {
        guard case .sick(let verdict) = cause, !verdict.contradictions.isEmpty, let fault,
            fault.layer == verdict.layer
        else { return nil }
        return min(now - fault.since, Liveness.duration)
    }
}

extension HealthCheck {
    /// Who was heard in spite of what calls for a bounce; nil: nobody.
    func liveness(in kernelState: KernelState) -> Liveness? {
        guard let livenessWindow, let verdict = cause?.verdict else { return nil }
        return kernelState.liveness(against: verdict, within: livenessWindow)
    }
}

extension Verdict {
    func with(_ evidence: Evidence) -> Verdict {
        var verdict = self
        verdict.evidence.append(evidence)
        return verdict
    }
}
