import Model

/// Fast reconnect: after a bounce, the owner of a station scans all channels for a network that the kernel
/// still knows. This scan takes nine tenths of the time until the link is back. If it is aborted, it returns
/// what the kernel knows, and the owner connects.
///
/// The kernel forgets an access point 30 s after it last heard it, and an associated station need not hear
/// anything new from it. So a directed scan of its frequency precedes the bounce: it takes a tenth of a
/// second, and shows that the access point is there. An owner whose aborted scan returns no network sleeps
/// before its next scan, which is worse than a complete scan. So no scan is aborted unless the kernel knows
/// the access point, and none is aborted twice.
struct FastReconnect: Hashable, Sendable {
    let accessPoint: AccessPoint
    /// When the directed scan began: anything heard before does not show that the access point is there.
    let since: Instant

    /// How long a directed scan may take before the link is lowered without fast reconnect.
    static let listening: Duration = .milliseconds(600)
    /// The longest time down in which the kernel forgets nothing. After a longer one no directed scan is
    /// possible before the owner's own: the raise itself wakes wpa_supplicant, whose scan was already running
    /// (EBUSY) in four of four lab runs that requested one in the very next system call.
    static let longestHold: Duration = .seconds(20)
    /// A scan of fewer channels ends before it could be aborted.
    static let fewestChannels = 4
    /// In dBm. A station with a weaker signal may find a better access point in a complete scan.
    static let weakestSignal: Int8 = -70
}

extension Settings {
    /// Whether fast reconnect is possible at all. Without a settle time the program does not see the scan.
    public var mayFastReconnect: Bool { fastReconnects && settle > .zero && mayBounce }
}

extension Toggler {
    /// The snapshot is taken. Only the first method of the first bounce uses fast reconnect: if the same
    /// access point did not help, its owner scans all channels.
    mutating func goDown(_ bounce: consuming Bounce, _ effects: inout Effects) {
        guard limiter.state.bouncesInOutage == 0 || bounce.cause == nil,
            let accessPoint = bounce.wayBack(under: settings)
        else { return arm(bounce, &effects) }
        bounce.fastReconnect = FastReconnect(accessPoint: accessPoint, since: effects.now)
        effects.emit(.directedScan(accessPoint))
        effects.emit(.arm(.retry, at: effects.now + FastReconnect.listening))
        enter(.scanning, bounce)
    }

    /// - Parameter isHeard: false: the directed scan was impossible, or took too long.
    mutating func directedScanDone(isHeard: Bool, _ effects: inout Effects) {
        guard case .bouncing(var bounce) = state, bounce.step == .scanning else { return }
        if !isHeard { bounce.fastReconnect = nil }
        effects.emit(.disarm(.retry))
        arm(bounce, &effects)
    }

    /// A program made the station scan. The first scan after the raise is the owner's, for the network that
    /// it lost; later scans have other reasons.
    mutating func scanBegun(_ scan: Scan, _ effects: inout Effects) {
        guard case .bouncing(var bounce) = state, bounce.isRaiseInFlight || bounce.step == .awaitingLink,
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
    /// The access point for fast reconnect; nil: the owner scans without our help.
    fileprivate func wayBack(under settings: Settings) -> AccessPoint? {
        // Not if the association itself may be at fault.
        let faults = [cause?.layer, before.fault?.layer]
        guard settings.mayFastReconnect, method == .bounce, ladder.done.isEmpty,
            !faults.contains(.radio), !faults.contains(.association), let scanOwner = snapshot.scanOwner,
            hold(under: settings)
                <= min(scanOwner.quirks.longestHold ?? .seconds(60), FastReconnect.longestHold),
            let wireless = before.wireless, wireless.role == .station,
            let association = wireless.association, let ssid = association.ssid,
            let frequency = association.frequency, let signal = association.station.signal,
            signal >= FastReconnect.weakestSignal
        else { return nil }
        return AccessPoint(bssid: association.bssid, ssid: ssid, frequency: frequency)
    }
}

extension Scan {
    /// Whether the scan covers many channels, and only this network or any network.
    fileprivate func isWhole(for accessPoint: AccessPoint) -> Bool {
        frequencies.count >= FastReconnect.fewestChannels && frequencies.contains(accessPoint.frequency)
            && names.allSatisfy { $0 == accessPoint.ssid }
    }
}
