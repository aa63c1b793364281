/// What holds bounces back, kept from one run to the next.
extension Toggler {
    /// Whether it outlives this run. The plain timer heeds none of it, and would write at each beat.
    private var keepsRestraint: Bool {
        switch mission {
        case .probe: false
        case .watch: !settings.isForced
        case .toggle, .reconnect: true
        }
    }

    /// The health has taken a verdict into account.
    mutating func noteRestraint(_ survey: Survey?, _ turn: inout Turn) {
        let (isHealthy, settings, now) = (health.condition == .healthy, settings, turn.now)
        restrain(&turn) { restraint in
            restraint.note(isHealthy: isHealthy, at: now)
            if let survey { restraint.note(Network(survey), settings: settings) }
        }
    }

    /// Changes it, and has it kept where something has changed that matters to the next run.
    mutating func restrain(_ turn: inout Turn, _ change: (inout Restraint) -> Void) {
        let before = restraint.memory
        change(&restraint)
        guard keepsRestraint, restraint.memory != before else { return }
        turn.emit(.rememberBounces(restraint.memory))
    }
}
