import Model

/// Fast reconnect: after a bounce the owner of a station scans all channels for a network that the kernel still knows, and
/// nine tenths of the way back are that scan. Cut short, it ends with what the kernel knows, and the owner connects.
///
/// The kernel forgets an access point 30 s after it has heard it last, and while associated it need not hear anything new
/// of it. So its frequency is scanned once more before the link is lowered: that takes a tenth of a second, and shows
/// that it is there. Who has a scan cut short and knows no network sleeps before the next one, which is worse than a whole
/// scan; so nothing is cut where the kernel knows nothing any more, and nothing twice.
struct FastReconnect: Hashable, Sendable {
    let accessPoint: AccessPoint
    /// When it was called once more: what was heard before is no sign that it is there.
    let since: Instant

    /// How long the access point may take to be heard once more, before the link is lowered without it.
    static let listening: Duration = .milliseconds(600)
    /// The longest hold, in which the kernel forgets nothing. After a longer one the access point cannot be called before its
    /// owner scans: the raise itself wakes wpa_supplicant, whose scan was under way (EBUSY) each time that the lab asked for
    /// one by the very next system call, four of four.
    static let longestHold: Duration = .seconds(20)
    /// A scan of fewer channels is over before it could be cut short.
    static let fewestChannels = 4
    /// dBm. Whose signal is weaker may find a better access point by a whole scan.
    static let weakestSignal: Int8 = -70
}

extension Settings {
    /// Whether the way back is shortened at all; who does not wait for it hears of no scan.
    public var mayFastReconnect: Bool { fastReconnects && settle > .zero && methods.contains(.bounce) }
}

extension Toggler {
    /// What there is to lose is known. Only the first method of the first bounce is shortened: where the same access point
    /// has not helped, its owner looks at all that there is.
    mutating func goDown(_ bounce: Bounce, _ effects: inout EffectBuffer) {
        guard limiter.bouncesInOutage == 0 || bounce.cause == nil,
            let accessPoint = bounce.wayBack(under: settings)
        else { return arm(bounce, &effects) }
        var bounce = bounce
        bounce.fastReconnect = FastReconnect(accessPoint: accessPoint, since: effects.now)
        effects.emit(.directedScan(accessPoint))
        effects.emit(.arm(.retry, at: effects.now + FastReconnect.listening))
        enter(.scanning, bounce)
    }

    /// - Parameter isHeard: false: it could not be called, or took too long.
    mutating func directedScanDone(isHeard: Bool, _ effects: inout EffectBuffer) {
        guard case .bouncing(var bounce) = state, bounce.step == .scanning else { return }
        if !isHeard { bounce.fastReconnect = nil }
        effects.emit(.disarm(.retry))
        arm(bounce, &effects)
    }

    /// Somebody scans. The first scan after the raise is the owner's, for the network that it has lost; what comes after it
    /// has another reason.
    mutating func scanBegun(_ scan: Scan, _ effects: inout EffectBuffer) {
        guard case .bouncing(var bounce) = state, bounce.isRaiseInFlight || bounce.step == .awaitingLink
        else { return }
        cut(scan, &bounce, &effects)
        enter(.bouncing(bounce))
    }

    private func cut(_ scan: Scan, _ bounce: inout Bounce, _ effects: inout EffectBuffer) {
        guard let fastReconnect = bounce.fastReconnect else { return }
        bounce.fastReconnect = nil
        guard scan.isWhole(for: fastReconnect.accessPoint), !bounce.isTerminating,
            bounce.loweringFailure == nil
        else {
            return
        }
        effects.emit(.abortScan(fastReconnect.accessPoint, heardSince: fastReconnect.since))
    }

    /// - Parameter ago: nil: it was left alone.
    func scanWasAborted(_ ago: Duration?, _ effects: inout EffectBuffer) {
        guard state.bounce != nil, let ago else { return }
        effects.emit(.report(.step(.scanAborted(heard: ago))))
    }
}

extension Toggler {
    /// What was sent to a gateway before the keys of the station were installed has made the kernel ask for its hardware
    /// address, and that question was lost: it would ask again a second later.
    mutating func resolveNeighbours(_ bounce: Bounce, _ effects: inout EffectBuffer) {
        let gateways = bounce.before.gateways.map(\.address)
        if !gateways.isEmpty { effects.emit(.resolveNeighbours(gateways)) }
    }
}

extension Bounce {
    /// The access point to which the link may come back by fast reconnect; nil: its owner is left to look for it.
    fileprivate func wayBack(under settings: Settings) -> AccessPoint? {
        guard settings.mayFastReconnect, method == .bounce, ladder.done.isEmpty,
            let scanOwner = snapshot.scanOwner, isSound,
            hold(under: settings)
                <= min(scanOwner.quirks.longestHold ?? .seconds(60), FastReconnect.longestHold),
            let wireless = before.wireless, wireless.role == .station,
            let association = wireless.association, let ssid = association.ssid,
            let frequency = association.frequency, let signal = association.station.signal,
            signal >= FastReconnect.weakestSignal
        else { return nil }
        return AccessPoint(bssid: association.bssid, ssid: ssid, frequency: frequency)
    }

    /// Whether nothing is wrong with the association itself.
    private var isSound: Bool {
        let layers = [cause?.layer, before.fault?.layer]
        return !layers.contains(.radio) && !layers.contains(.association)
    }
}

extension Scan {
    /// Whether it looks on many channels, and for nobody but this network or whoever there is.
    fileprivate func isWhole(for accessPoint: AccessPoint) -> Bool {
        frequencies.count >= FastReconnect.fewestChannels && frequencies.contains(accessPoint.frequency)
            && names.allSatisfy { $0 == accessPoint.ssid }
    }
}
