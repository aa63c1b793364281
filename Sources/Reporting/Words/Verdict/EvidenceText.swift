import Model

extension Evidence {
    /// One entry of the evidence as shown to people: the probe, its result, and the details.
    public struct Row: Hashable, Sendable {
        /// The result in one word.
        public enum Result: String, CaseIterable, Sendable {
            case ok, failed, unknown
        }

        public var probe: String
        public var result: Result
        public var roundTrip: Duration?
        public var detail: String
    }

    public var row: Row {
        switch self {
        case .radio(let block):
            Row(probe: "radio", result: block == .none ? .ok : .failed, detail: block.text)
        case .administrative(let isUp):
            Row(probe: "administrative", result: isUp ? .ok : .failed, detail: isUp ? "up" : "down")
        case .operational(let state, let hasCarrier):
            Row(
                probe: "operational",
                result: state == .up || state == .unknown && hasCarrier ? .ok : .failed,
                detail: "\(state.text), \(hasCarrier ? "carrier" : "no carrier")")
        case .association(let association):
            Row(
                probe: "association", result: association == nil ? .failed : .ok,
                detail: association?.text ?? "none")
        case .port(let port): Row(probe: "master", result: .ok, detail: port.text)
        case .addresses(let addresses): Self.row(of: addresses)
        case .gateways(let gateways):
            Row(
                probe: "gateway", result: gateways.isEmpty ? .unknown : .ok,
                detail: gateways.isEmpty ? "none" : gateways.map(\.text).joined(separator: ", "))
        case .traffic(let received, let sent, let duration):
            Row(
                probe: "traffic", result: received == 0 && sent > 0 ? .unknown : .ok,
                detail: "\(received) packets received and \(sent) sent in \(duration.text)")
        case .liveness(let sign): Row(probe: "heard", result: .ok, detail: sign.text)
        case .owner(let condition):
            Row(
                probe: condition.owner == .resolved ? "resolver" : "owner", result: .failed,
                detail: condition.text)
        case .radioCondition(let condition): Row(probe: "driver", result: .failed, detail: condition.text)
        case .probe(let question, let result): Self.row(of: question, result)
        }
    }

    private static func row(of addresses: [InterfaceAddress]) -> Row {
        let usable = addresses.contains { $0.reachesBeyondLink && !$0.isTentative }
        let texts = addresses.map {
            "\($0.address)/\($0.prefixLength)\($0.isTentative ? " (tentative)" : "")"
        }
        return Row(
            probe: "address", result: usable ? .ok : .failed,
            detail: texts.isEmpty ? "none" : texts.joined(separator: ", "))
    }

    private static func row(of question: ProbeRequest.Question, _ result: ProbeResult) -> Row {
        Row(probe: question.text, result: result.word, roundTrip: result.roundTrip, detail: result.detail)
    }
}

extension ProbeResult {
    var word: Evidence.Row.Result {
        switch self {
        case .answered: .ok
        case .unanswered, .refuted: .failed
        case .neverAnswered, .unknown: .unknown
        }
    }

    var roundTrip: Duration? {
        switch self {
        case .answered(let roundTrip, _), .refuted(_, let roundTrip, _): roundTrip
        case .unanswered, .neverAnswered, .unknown: nil
        }
    }

    fileprivate var detail: String {
        switch self {
        case .answered(_, let detail), .unanswered(let detail), .refuted(_, _, let detail): detail
        case .neverAnswered(let detail): "\(detail); the target has never answered on this network"
        case .unknown(let failure): failure.description
        }
    }
}

extension RadioBlock {
    var text: String {
        switch self {
        case .none: "not blocked"
        case .soft: "soft-blocked"
        case .hard: "hard-blocked"
        }
    }
}

extension Port {
    /// The master, and whose traffic passes through the port.
    var text: String {
        let name = masterName ?? "index \(master.rawValue)"
        let kind = self.kind == .openvswitch ? "Open vSwitch" : self.kind.rawValue
        let place = upper.flatMap { $0.index == master ? nil : ", addresses on \($0.name)" } ?? ""
        return "\(name) (\(kind)), \(traffic.text)\(place)"
    }
}

extension Port.Traffic {
    fileprivate var text: String {
        switch self {
        case .own: "this port has its own addresses"
        case .masters: "its traffic passes through this port"
        case .pending: "no traffic passes through this port yet"
        case .none: "no traffic passes through this port"
        case .unknown: "it is not known which traffic passes through this port"
        }
    }
}

extension OwnerCondition {
    var text: String {
        switch kind {
        case .gaveUp where owner == .supplicant:
            "wpa_supplicant has disabled its network for a while, because it could not join it"
        case .gaveUp where owner == .networkd:
            "systemd-networkd has failed to configure it, and does not try again"
        case .gaveUp: "\(owner.rawValue) has given up connecting it, and no user asked for that"
        case .toldToDisconnect: "\(owner.rawValue) was told to disconnect"
        case .hung where owner == .resolved: "systemd-resolved runs, and does not resolve names"
        case .hung where owner.isDHCPClient: "the process of \(owner.rawValue) is stopped or stuck"
        case .hung: "\(owner.rawValue) runs, and does not answer"
        case .lostDevices: "\(owner.rawValue) answers, but has lost its devices"
        case .dead where owner.isDHCPClient: "\(owner.rawValue) has ended unexpectedly"
        case .dead: "the service of \(owner.rawValue) has failed"
        }
    }
}

extension RadioCondition {
    var text: String {
        switch self {
        case .refusesScans(let refusal): "refuses every scan with \(refusal.rawValue)"
        case .crashed: "has recorded a crash of the device (devcoredump)"
        case .closed: "could not restart the device"
        case .lostInterface(.bound): "is bound to the device, which has no interface"
        case .lostInterface(.unbound): "is not bound to the device any more"
        case .lostInterface(.removed): "has no device any more: the device is gone, although its bus is there"
        }
    }
}

extension Gateway {
    var text: String {
        guard let neighbour else { return address.description }
        let proof = neighbour.confirmed.map { ", confirmed \($0.text) ago" } ?? ""
        return "\(address) (\(neighbour.state.text)\(proof))"
    }
}

extension Association {
    /// The network, the access point and the signal as text.
    var text: String {
        var parts = [ssid.map { "\"\($0)\"" }, bssid.description].compactMap(\.self)
        if let frequency { parts.append("\(frequency) MHz") }
        if let signal = station.signal { parts.append("signal \(signal) dBm") }
        if let inactive = station.inactive { parts.append("last heard \(inactive.text) ago") }
        if let connected = station.connected { parts.append("connected \(connected.text)") }
        if let failures = station.sendFailures, failures > 0 { parts.append("\(failures) sends failed") }
        if let losses = station.beaconLosses, losses > 0 { parts.append("\(losses) beacon losses") }
        return parts.joined(separator: ", ")
    }
}
