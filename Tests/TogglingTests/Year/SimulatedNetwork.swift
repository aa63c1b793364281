import Glibc

@testable import Model
@testable import Toggling

/// The network of a simulated machine at a time: its answers to probes, and how long they take.
struct SimulatedNetwork {
    let station: Station
    let life: Life
    let chance: Chance
    let now: Instant

    private static let networkDown = Failure(kind: .other, code: 100, description: "Network is down")
    /// How often the kernel solicits a neighbour (retrans_time_ms, arp(7)).
    private static let solicitations: Duration = .seconds(1)

    private enum Distance {
        case gateway, internet
        var typical: Duration { self == .gateway ? .milliseconds(3) : .milliseconds(25) }
    }

    // MARK: Probes

    /// The result of a probe that begins now, and after which time the result is known.
    func answer(to request: ProbeRequest) -> (result: ProbeResult, after: Duration) {
        guard station.interface.isAssociated, station.interface.hasAddress else {
            return (.unknown(Self.networkDown), .zero)
        }
        let reachesInternet = station.reachesInternet
        let roundTrip: Duration? =
            switch request.question {
            case .neighbour: solicit(within: request.timeout)
            case .icmp(.address(Sample.gateway)):
                station.isWell && !life.filtersICMP ? roundTrip(.gateway) : nil
            case .dns: reachesInternet && station.troubles.hasNames ? self.roundTrip(.internet) : nil
            case .icmp, .tcp, .http, .command: reachesInternet ? self.roundTrip(.internet) : nil
            }
        guard let roundTrip, roundTrip < request.timeout else {
            return (.unanswered(detail: "no answer"), request.timeout)
        }
        return (.answered(roundTrip: roundTrip, detail: "answered"), roundTrip)
    }

    /// The round trip of one ICMP echo to a public host, as ping(8) sends it; nil: no answer comes.
    var ping: Duration? {
        guard station.reachesInternet else { return nil }
        return life.situation.hasWire ? Distance.internet.typical : roundTrip(.internet)
    }

    /// The time until one of the kernel's solicitations is answered; nil: none is within the time-out.
    private func solicit(within timeout: Duration) -> Duration? {
        guard station.resolvesGateway else { return nil }
        var after: Duration = .zero
        while after < timeout {
            if let roundTrip = roundTrip(.gateway, at: now + after) { return after + roundTrip }
            after += Self.solicitations
        }
        return nil
    }

    // MARK: Packets

    /// The round trip of a packet; nil: the packet or its answer is lost.
    private func roundTrip(_ distance: Distance) -> Duration? { roundTrip(distance, at: now) }

    private func roundTrip(_ distance: Distance, at instant: Instant) -> Duration? {
        let troubles = station.troubles
        let pause = troubles.spell(of: .roam) ?? troubles.spell(of: .rekey)
        if let pause, instant < pause.end { return nil }
        if let loss = troubles.spell(of: .loss), chance.share(.outbound, at: instant) < Self.loss(loss) {
            return nil
        }
        return distance.typical + delay(at: instant)
    }

    /// The share of lost round trips, as ping(8) counts them: 20 to 40 %.
    private static func loss(_ spell: Spell) -> Double { 0.2 + 0.2 * spell.severity }

    private func delay(at instant: Instant) -> Duration {
        let mean: Double
        if let latency = station.troubles.spell(of: .latency) {
            // Full queues delay packets by some hundred milliseconds to well over a second.
            mean = 0.2 + 1.3 * latency.severity
        } else if station.troubles.has(.scan) {
            // The radio is on another channel for a tenth of a second at a time.
            mean = 0.1
        } else {
            return .zero
        }
        return .milliseconds(Int64(-log(1 - chance.share(.delay, at: instant)) * mean * 1000))
    }
}
