import Model

/// The network that a station had last, and whether it is in the air while the station looks for it.
///
/// The kernel's memory of scans tells. It may be empty because nobody has scanned, and a hidden network has no
/// name in it. So a network counts as not in the air only where others were heard after a whole scan had been
/// possible since ours was lost, and ours was not.
struct LastNetwork: Hashable, Sendable {
    /// A scan of all channels took 4 s.
    static let sweep: Duration = .seconds(5)
    /// How long what was not heard counts, where nobody scans again: NetworkManager does so every two minutes
    /// at least. Then a bounce is right, which makes its owner scan.
    static let memory: Duration = .seconds(150)
    /// For the owner to join what has come back: after the scan that finds it this takes less than a second.
    static let joining: Duration = .seconds(5)

    let ssid: SSID
    /// MHz, of the access point that it was joined through; nil: not known.
    let frequency: UInt32?
    /// Since when the station could have heard it again; nil: it is associated, or its radio is off.
    private(set) var since: Instant?
    private(set) var absence: Absence?
    /// It has come back, and its owner may be about to join it.
    private(set) var joiningUntil: Instant?
    /// When it was first not associated; nil: it is. That the radio was off in between does not matter.
    private(set) var lostAt: Instant?
    /// It was heard since then.
    private(set) var isHeardAgain = false

    /// Others were heard, and it was not.
    struct Absence: Hashable, Sendable {
        var others: Int
        /// When one of the others was heard last.
        var heardAt: Instant
    }

    init(_ ssid: SSID, on frequency: UInt32? = nil) {
        self.ssid = ssid
        self.frequency = frequency
    }

    /// Takes in what was heard, by the kernel's word of this moment.
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

    /// Nothing can be heard: the link is down, the radio off, or the interface gone.
    mutating func clearScanResults() { (since, absence, joiningUntil) = (nil, nil, nil) }

    /// Its access point may only be silent because it listens for radar: on which channel (MHz), and until when, with
    /// the time that it takes to join. nil: it may not, or it was heard again.
    var awaitedCAC: (frequency: UInt32, until: Instant)? {
        guard !isHeardAgain, let lostAt, let frequency, let silence = DFSChannel.silence(on: frequency) else {
            return nil
        }
        return (frequency, lostAt + silence + Self.joining)
    }

    /// Why its owner cannot join it; nil: as far as is known it can.
    func reason(at now: Instant) -> Reason? {
        absence.map { .ssidNotFound(ssid, others: $0.others, ago: now - $0.heardAt) }
    }
}

extension Toggler {
    /// Takes in what a kernel state tells of the station's network.
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

    /// What is not in the air cannot be joined, which says more than that it is not. And who has left a network is
    /// not to be in it, whatever was asked of it meanwhile.
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
