import Model

/// The last network of a station, and whether scans still find it while the station looks for it.
///
/// The evidence is the kernel's list of scan results. It may be empty because nothing has scanned, and it has
/// no SSID for a hidden network. So a network counts as not found only if other networks were heard at least
/// one complete scan after it was lost, and it was not.
struct LastNetwork: Hashable, Sendable {
    /// A scan of all channels took 4 s.
    static let sweep: Duration = .seconds(5)
    /// How long a missing network counts as not found if nothing scans again: NetworkManager scans at least
    /// every two minutes. After that a bounce is right, because it makes the owner scan.
    static let memory: Duration = .seconds(150)
    /// How long the owner may take to join a network that was found again: it takes less than a second after
    /// the scan.
    static let joining: Duration = .seconds(5)

    let ssid: SSID
    /// In MHz, of the access point that the station was associated with; nil: not known.
    let frequency: UInt32?
    /// Since when the station could have heard the network again; nil: it is associated, or its radio is off.
    private(set) var since: Instant?
    private(set) var absence: Absence?
    /// The network was found again, and its owner may be about to join it.
    private(set) var joiningUntil: Instant?
    /// When the station was first not associated; nil: it is. Time with the radio off counts, too.
    private(set) var lostAt: Instant?
    /// The network was heard since then.
    private(set) var isHeardAgain = false

    /// Other networks were heard, and this one was not.
    struct Absence: Hashable, Sendable {
        var others: Int
        /// When one of the others was last heard.
        var heardAt: Instant
    }

    init(_ ssid: SSID, on frequency: UInt32? = nil) { (self.ssid, self.frequency) = (ssid, frequency) }

    /// Takes the scan results of a kernel state read at `now`.
    mutating func note(_ heard: [HeardNetwork], at now: Instant) {
        let since = since ?? now
        self.since = since
        lostAt = lostAt ?? now
        let heard = heard.filter { $0.ago <= now - since }
        if heard.contains(where: { $0.ssid == ssid }) {
            isHeardAgain = true
            if absence != nil { joiningUntil = now + Self.joining }
            absence = nil
        } else if heard.contains(where: \.isHidden) {
            absence = nil
        } else if let ago = heard.map(\.ago).min(), now - since - ago >= Self.sweep {
            absence = Absence(others: heard.count, heardAt: now + (.zero - ago))
        } else if let old = absence, now - old.heardAt > Self.memory {
            absence = nil
        }
    }

    /// The station cannot hear anything: the link is down, the radio off, or the interface gone.
    mutating func clearScanResults() { (since, absence, joiningUntil) = (nil, nil, nil) }

    /// Set if the access point may be silent only because of a channel availability check: the channel (MHz),
    /// and the end of the check plus the time to join. nil: it may not be, or it was heard again.
    var awaitedCAC: (frequency: UInt32, until: Instant)? {
        guard !isHeardAgain, let lostAt, let frequency, let silence = DFSChannel.silence(on: frequency) else {
            return nil
        }
        return (frequency, lostAt + silence + Self.joining)
    }

    /// Why its owner cannot join it; nil: no reason is known.
    func reason(at now: Instant) -> Reason? {
        absence.map { .ssidNotFound(ssid, others: $0.others, ago: now - $0.heardAt) }
    }
}

extension Toggler {
    /// Takes the state of the station's network from a kernel state.
    mutating func noteLastNetwork(in kernelState: KernelState, at now: Instant) {
        guard let wireless = kernelState.wireless, wireless.role == .station else { return }
        if let association = wireless.association {
            lastNetwork = association.ssid.map { LastNetwork($0, on: association.frequency) }
        } else if kernelState.link.isUp, kernelState.radio == .none {
            lastNetwork?.note(wireless.heard, at: now)
        } else {
            lastNetwork?.clearScanResults()
        }
    }

    /// A missing network is a better reason than a missing association. And if the machine itself left a
    /// network, that is the reason, whatever the check found.
    func corrected(_ verdict: Verdict, at now: Instant) -> Verdict {
        if localDisconnect.hasLeft, verdict.conclusion == .sick, verdict.layer != .radio {
            return Verdict(
                .sick, layer: .association, reason: .disconnectedLocally, evidence: verdict.evidence)
        }
        guard verdict.reason == .notAssociated, let reason = lastNetwork?.reason(at: now) else {
            return verdict
        }
        return Verdict(.sick, layer: .association, reason: reason, evidence: verdict.evidence)
    }
}
