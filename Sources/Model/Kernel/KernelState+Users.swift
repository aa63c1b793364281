/// What the users of the machine want: holds and quiet hours, and logins over the link.
extension KernelState {
    /// The hold that postpones a bounce; nil: there is none now.
    package func holdReason(at now: Instant) -> NoBounceReason? {
        administrativeHold.flatMap { $0.holds(at: now) ? .onHold($0) : nil }
    }

    /// The hold or the quiet hours that postpone a bounce; nil: there are none now.
    package func orderToWait(at now: Instant) -> NoBounceReason? {
        holdReason(at: now) ?? quietUntil.flatMap { now < $0 ? .quiet(until: $0) : nil }
    }

    /// The logged-in users whom a bounce would disturb; nil: there are none, logins were not requested, or
    /// only systemd-resolved will be restarted.
    package var use: NoBounceReason? {
        let peers = Set((resolverFails ? [] : logins ?? []).filter(\.isInUse).map(\.peer)).sorted {
            $0.bytes.lexicographicallyPrecedes($1.bytes)
        }
        return peers.first.map { .inUse(from: $0, others: peers.count - 1) }
    }
}
