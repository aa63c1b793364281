import Model

/// Fast reconnect: after a bounce, the owner of a station scans all channels for a network that the kernel
/// still knows. This scan takes nine tenths of the time until the link is back. If the program aborts the
/// scan, the owner gets what the kernel knows, and connects.
///
/// The kernel forgets an access point 30 s after the last frame from it, and an associated station may hear
/// no new one. So a directed scan of the access point's frequency precedes the bounce. This scan takes 0.1 s,
/// and shows that the access point is there. If an aborted scan finds no network, the owner pauses, which is
/// worse than a complete scan. So a scan is aborted only if the kernel knows the access point, and only once.
struct FastReconnect: Hashable, Sendable {
    let accessPoint: AccessPoint
    /// When the directed scan began. A frame heard before that does not show that the access point is there.
    let since: Instant

    /// How long a directed scan may take before the link is lowered without fast reconnect.
    static let directedScanTimeout: Duration = .milliseconds(600)
    /// The longest time down after which the kernel still knows the access point. After a longer time, a
    /// directed scan between the raise and the owner's scan would be needed, but it comes too late: in four
    /// of four lab runs, the scan of wpa_supplicant was already running (EBUSY) at the very next system call.
    static let longestDownTime: Duration = .seconds(20)
    /// The weakest signal in dBm: with a weaker one, a complete scan may find a better access point.
    static let weakestSignal: Int8 = -70
}

extension Toggler {
    /// Goes on after the snapshot. Only the first method uses fast reconnect, and only in an outage's first
    /// bounce or a bounce without a verdict: if the access point did not help, the owner scans all channels.
    mutating func goDown(_ bounce: consuming Bounce, _ effects: inout Effects) {
        guard limiter.state.bouncesInOutage == 0 || bounce.cause.verdict == nil,
            let accessPoint = bounce.wayBack(under: settings)
        else { return arm(bounce, &effects) }
        bounce.fastReconnect = FastReconnect(accessPoint: accessPoint, since: effects.now)
        effects.emit(.directedScan(accessPoint))
        effects.emit(.arm(.retry, at: effects.now + FastReconnect.directedScanTimeout))
        enter(.scanning, bounce)
    }

    /// Goes on after the directed scan.
    /// - Parameter isHeard: whether the directed scan is complete; it may fail or take too long.
    mutating func directedScanDone(isHeard: Bool, _ effects: inout Effects) {
        guard case .bouncing(var bounce) = state, bounce.step == .scanning else { return }
        if !isHeard { bounce.fastReconnect = nil }
        effects.emit(.disarm(.retry))
        arm(bounce, &effects)
    }

    /// Aborts the owner's scan for the network that it lost, which is the first one after the raise.
    mutating func scanBegun(_ scan: Scan, _ effects: inout Effects) {
        guard case .bouncing(var bounce) = state,
            bounce.attempts?.isInFlight == true || bounce.step == .awaitingLink,
            let fastReconnect = bounce.fastReconnect
        else { return }
        bounce.fastReconnect = nil
        enter(.bouncing(bounce))
        guard scan.isWhole(for: fastReconnect.accessPoint), !bounce.isTerminating, bounce.methodFailure == nil
        else { return }
        effects.emit(.abortScan(fastReconnect.accessPoint, heardSince: fastReconnect.since))
    }
}

extension Bounce {
    /// The access point for fast reconnect; nil: the owner's scan is not aborted.
    fileprivate func wayBack(under settings: Settings) -> AccessPoint? {
        // If the association itself may be at fault, the owner makes a complete scan.
        let faults = [cause.verdict?.layer, before.fault?.layer]
        guard settings.mayFastReconnect, method == .bounce, ladder.done.isEmpty,
            !faults.contains(.radio), !faults.contains(.association), let scanOwner = snapshot.scanOwner,
            downTime(under: settings) <= FastReconnect.longestDownTime,
            scanOwner.quirks.longestDownTime.map({ downTime(under: settings) <= $0 }) ?? true,
            let wireless = before.wireless, wireless.role == .station,
            let association = wireless.association, let ssid = association.ssid,
            let frequency = association.frequency, let signal = association.station.signal,
            signal >= FastReconnect.weakestSignal
        else { return nil }
        return AccessPoint(bssid: association.bssid, ssid: ssid, frequency: frequency)
    }
}
