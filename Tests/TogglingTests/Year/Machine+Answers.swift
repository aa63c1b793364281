import Glibc

@testable import Model
@testable import Toggling

/// The answers of the machine's kernel and of the network.
extension Machine {
    static let gateway = Sample.gateway
    private static let networkDown = Failure(kind: .other, code: 100, description: "Network is down")
    /// How often the kernel solicits a neighbour (retrans_time_ms, arp(7)).
    private static let solicitations: Duration = .seconds(1)
    /// The length of the periods in each of which the machine is either in use or idle.
    private static let useSpan: Duration = .minutes(10)
    private static let shareInUse = 0.4
    /// The length of the periods in each of which a busy device refuses all commands or none, and the share
    /// of those in which it refuses.
    private static let refusalSpan: Duration = .seconds(8)
    private static let shareRefused = 0.4

    var link: Link {
        Link(
            index: Sample.index, name: "wlan0", macAddress: MACAddress([2, 0, 0, 0, 1, 0]), isUp: isUp,
            hasCarrier: isAssociated, operationalState: isAssociated ? .up : .down,
            counters: counters, port: life.situation.port, hadCarrier: hadCarrier)
    }

    /// One packet a second is sent, and one is received while the link is well (`isWell`).
    private var counters: LinkCounters {
        let sent = UInt64((now - Life.beginning).inSeconds)
        let received = UInt64(receiving.inSeconds)
        return LinkCounters(receivedPackets: received, sentPackets: sent)
    }

    var kernelState: KernelState {
        var association = Sample.association
        association.bssid = MACAddress([2, 0, 0, 0, 0, owner.associations])!
        let address = InterfaceAddress(address: .v4(0x0a4d_0002), prefixLength: 24, reachesBeyondLink: true)
        return KernelState(
            link: link, radio: isBlocked ? .soft : .none,
            wireless: Wireless(role: .station, phy: 0, association: isAssociated ? association : nil),
            addresses: hasUpperLayers ? [address] : [],
            gateways: hasUpperLayers ? [Gateway(address: Self.gateway, neighbour: neighbour)] : [])
    }

    /// How long the program takes to find that the radio refuses: three scans, two seconds apart.
    var refusing: Duration {
        troubles.contains { $0.radioCondition == .refusesScans(.timedOut) } ? .seconds(4) : .zero
    }

    /// The interface's state, or its last one if its device has lost it and the details ask for that; nil: there
    /// is no interface.
    func kernelState(with details: KernelState.Details) -> KernelState? {
        if details.lossOfInterface, let loss {
            var state = loss.lastState
            state.radioCondition = .lostInterface(loss.kind)
            return state
        }
        guard isPresent else { return nil }
        var state = kernelState
        if details.failedLookup != nil {
            let isAtFault = troubles.contains(.resolverHung)
            state.ownerCondition = isAtFault ? OwnerCondition(.resolved, .hung) : nil
            return state
        }
        let radio = troubles.compactMap(\.radioCondition).first
        if details.ownerCondition {
            state.ownerCondition = troubles.compactMap(\.ownerCondition).first
            state.radioCondition = radio
        }
        if radio == .closed { state.radioCondition = radio }
        return state
    }

    private var hasUpperLayers: Bool { hasAddress && life.situation != .bondBackup }
    private var isResolved: Bool { isWell || life.situation == .proxyARP && isAssociated && hasAddress }

    private var neighbour: Neighbour {
        // The neighbour entry of a gateway that does not answer is in the state `failed`.
        guard isResolved else { return Neighbour(state: .failed) }
        let macAddress = MACAddress([2, 0, 0, 0, 9, isReplacedRouter ? 1 : 0])
        guard isInUse, isWell, !pauses else { return Neighbour(state: .stale, macAddress: macAddress) }
        return Neighbour(state: .reachable, macAddress: macAddress, confirmed: .milliseconds(200))
    }

    /// Whether the machine is in use. Then its connections confirm the gateway many times a second.
    private var isInUse: Bool { holds(.use, for: Self.useSpan, in: Self.shareInUse) }

    /// Why the device refuses to be set down or up now; nil: it does not.
    var refusal: Failure? {
        guard life.situation == .busyDevice, holds(.refusal, for: Self.refusalSpan, in: Self.shareRefused)
        else { return nil }
        return Failure(kind: .busy, code: 16, description: "Device or resource busy")
    }

    /// Whether something holds in the current period. It holds in this share of all periods of this length.
    private func holds(_ matter: Chance.Matter, for span: Duration, in share: Double) -> Bool {
        let beginning = Instant(nanoseconds: now.nanoseconds / span.nanoseconds * span.nanoseconds)
        return chance.share(matter, at: beginning) < share
    }

    // MARK: Probes

    /// The result of a probe that begins now, and after which time the result is known.
    func answer(to request: ProbeRequest) -> (result: ProbeResult, after: Duration) {
        guard isAssociated, hasAddress else { return (.unknown(Self.networkDown), .zero) }
        let roundTrip: Duration? =
            switch request.question {
            case .neighbour: solicit(within: request.timeout)
            case .icmp(.address(Self.gateway)): isWell && !life.filtersICMP ? roundTrip(.gateway) : nil
            case .dns: reachesInternet && hasNames ? self.roundTrip(.internet) : nil
            case .icmp, .tcp, .http, .command: reachesInternet ? self.roundTrip(.internet) : nil
            }
        guard let roundTrip, roundTrip < request.timeout else {
            return (.unanswered(detail: "no answer"), request.timeout)
        }
        return (.answered(roundTrip: roundTrip, detail: "answered"), roundTrip)
    }

    /// The round trip of one ICMP echo to a public host, as ping(8) sends it; nil: no answer comes.
    var ping: Duration? {
        guard reachesInternet else { return nil }
        return life.situation.hasWire ? Distance.internet.typical : roundTrip(.internet)
    }

    /// The time until one of the kernel's solicitations is answered; nil: none is within the time-out.
    private func solicit(within timeout: Duration) -> Duration? {
        guard isResolved else { return nil }
        var after: Duration = .zero
        while after < timeout {
            if let roundTrip = roundTrip(.gateway, at: now + after) { return after + roundTrip }
            after += Self.solicitations
        }
        return nil
    }

    private enum Distance {
        case gateway, internet
        var typical: Duration { self == .gateway ? .milliseconds(3) : .milliseconds(25) }
    }

    /// The round trip of a packet; nil: the packet or its answer is lost.
    private func roundTrip(_ distance: Distance) -> Duration? { roundTrip(distance, at: now) }

    private func roundTrip(_ distance: Distance, at instant: Instant) -> Duration? {
        let pause = spell(of: .roam) ?? spell(of: .rekey)
        if let pause, instant < pause.end { return nil }
        if let loss = spell(of: .loss), chance.share(.outbound, at: instant) < Self.loss(loss) { return nil }
        return distance.typical + delay(at: instant)
    }

    /// The share of lost round trips, as ping(8) counts them: 20 to 40 %.
    private static func loss(_ spell: Spell) -> Double { 0.2 + 0.2 * spell.severity }

    private func delay(at instant: Instant) -> Duration {
        let mean: Double
        if let latency = spell(of: .latency) {
            // Full queues delay packets by some hundred milliseconds to well over a second.
            mean = 0.2 + 1.3 * latency.severity
        } else if isUnder(.scan) {
            // The radio is on another channel for a tenth of a second at a time.
            mean = 0.1
        } else {
            return .zero
        }
        return .milliseconds(Int64(-log(1 - chance.share(.delay, at: instant)) * mean * 1000))
    }
}
