import Model

/// The last network of a station, and whether scans still find it while the station looks for it.
///
/// The evidence is the kernel's list of scan results. The list may be empty because no program has scanned,
/// and it has no SSID for a hidden network. So a network counts as not found only if there was time for a
/// complete scan since its loss, and then other networks were heard and this one was not.
struct LastNetwork: Hashable, Sendable {
    /// The time for a scan of all channels; 4 s were measured.
    static let sweep: Duration = .seconds(5)
    /// How long a missing network counts as not found if no program scans again. NetworkManager scans at
    /// least every two minutes. After that a bounce is right, because it makes the owner scan.
    static let absenceRetention: Duration = .seconds(150)
    /// How long the owner may take to join a network that was found again. Owners take less than a second.
    static let joining: Duration = .seconds(5)

    let ssid: SSID
    /// The frequency of the station's last access point in MHz; nil: not known.
    let frequency: UInt32?
    /// Since when scans can find the network again; nil: the station is associated, or its radio is off.
    private(set) var since: Instant?
    private(set) var absence: Absence?
    /// Until when the owner may be joining the network, which was found again.
    private(set) var joiningUntil: Instant?
    /// When the loss of the association was noticed; nil: not yet. Time with the radio off counts too.
    private(set) var lostAt: Instant?
    /// Whether the network was heard since the loss.
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
        } else if let old = absence, now - old.heardAt > Self.absenceRetention {
            absence = nil
        }
    }

    /// Forgets what was heard: the link is down, the radio is off, or the interface is gone.
    mutating func clearScanResults() { (since, absence, joiningUntil) = (nil, nil, nil) }

    /// The channel (MHz) on which the access point may be silent because of a channel availability check, and
    /// the end of that check plus the time to join; nil: the network was heard again, or needs no such check.
    var awaitedCAC: (frequency: UInt32, until: Instant)? {
        guard !isHeardAgain, let lostAt, let frequency, let silence = DFSChannel.silence(on: frequency) else {
            return nil
        }
        return (frequency, lostAt + silence + Self.joining)
    }
}

extension Toggler {
    /// Notes what a kernel state shows of the station's network.
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

    /// The verdict with a more precise reason: a missing network explains a missing association. If the
    /// machine itself left the network, that is the reason, whatever fault above the radio the check found.
    func corrected(_ verdict: Verdict, at now: Instant) -> Verdict {
        if localDisconnect.hasLeft, verdict.conclusion == .sick, verdict.layer != .radio {
            return Verdict(
                .sick, layer: .association, reason: .disconnectedLocally, evidence: verdict.evidence)
        }
        guard verdict.reason == .notAssociated, let lastNetwork, let absence = lastNetwork.absence else {
            return verdict
        }
        let reason = Reason.ssidNotFound(lastNetwork.ssid, others: absence.others, ago: now - absence.heardAt)
        return Verdict(.sick, layer: .association, reason: reason, evidence: verdict.evidence)
    }
}
