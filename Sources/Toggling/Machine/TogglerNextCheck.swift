import Model

extension Toggler {
    /// The least time between two checks after announced changes.
    private static let changeSpacing: Duration = .seconds(1)

    /// The next check after a cycle with this action; nil: the run is over.
    func nextCheck(after action: CycleReport.Action, at now: Instant) -> NextCheck? {
        let isInDoubt = action == .none && health.isInDoubt(fall: fall)
        let recheck = isInDoubt ? NextCheck(at: now + settings.recheck, why: .recheck) : nil
        switch runMode {
        case .probe, .toggle: return nil
        case .reconnect: return recheck
        case .watch: break
        }
        let sooner: NextCheck? =
            switch action {
            case .none: recheck
            case .held(let reason): reason.end
            case .refused(.administrativelyDown):
                rfkillTracker.raiseDue.flatMap { $0 > now ? NextCheck(at: $0, why: .grace) : nil }
            case .bounced, .raised, .failed, .skipped, .refused: nil
            }
        let tick = nextTick(now)
        return sooner.map { $0.at < tick.at ? $0 : tick } ?? tick
    }

    func nextTick(_ now: Instant) -> NextCheck {
        NextCheck(at: schedule?.next(after: now) ?? now + settings.interval, why: .schedule)
    }

    mutating func wait(_ next: NextCheck, _ effects: inout Effects) {
        effects.emit(.arm(.nextCheck, at: next.at))
        enter(.waiting(next))
    }

    /// Brings the next check forward, because something changed.
    mutating func checkSoon(_ next: NextCheck, _ effects: inout Effects) {
        let earliest = max(effects.now, (lastCheck.endedAt ?? effects.now) + Self.changeSpacing)
        if earliest < next.at { wait(NextCheck(at: earliest, why: .change), &effects) }
    }
}
