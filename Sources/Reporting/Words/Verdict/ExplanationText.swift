import Model
import Toggling

/// Explains a verdict as a short tree: the layers from the radio upwards, then the consequence, and what
/// would change the verdict.
public struct Explanation {
    private let verdict: Verdict
    private let settings: Settings
    private let change: HealthChange
    private let quality: Quality?

    /// - Parameter quality: the quality of the link; nil: not known.
    public init(
        _ verdict: Verdict, change: HealthChange, settings: Settings, quality: Quality? = nil
    ) {
        self.quality = quality
        self.verdict = verdict
        self.change = change
        self.settings = settings
    }

    /// The lines of the tree, to be shown below the verdict's headline.
    public var lines: [String] {
        let branches = layers + (quality.map { [$0.branch] } ?? []) + [conclusion, bounce, doubt]
        return branches.dropLast().map { "|- \($0)" } + branches.suffix(1).map { "`- \($0)" }
    }

    // MARK: Layers

    /// The state of a layer.
    enum Mark: String {
        case ok, sick, unknown
        case notAsked = "not asked"
    }

    /// A line for each layer; successive layers about which nothing is known share one line.
    private var layers: [String] {
        var lines: [String] = []
        var unknown: [String] = []
        for layer in Layer.allCases {
            let seen = verdict.evidence.filter { $0.layer(gateways: gateways) == layer }
            let mark = mark(layer, seen)
            if seen.isEmpty, mark == .notAsked {
                unknown.append(layer.rawValue)
                continue
            }
            lines += Self.notAsked(unknown)
            unknown = []
            let details = seen.map { $0.summary(below: layer.rawValue) }.joined(separator: "; ")
            lines.append("\(layer.rawValue): \(mark.rawValue)" + (details.isEmpty ? "" : " (\(details))"))
        }
        return lines + Self.notAsked(unknown)
    }

    private static func notAsked(_ layers: [String]) -> [String] {
        layers.isEmpty ? [] : [layers.joined(separator: ", ") + ": \(Mark.notAsked.rawValue)"]
    }

    private func mark(_ layer: Layer, _ seen: [Evidence]) -> Mark {
        if verdict.layer == layer { return verdict.conclusion == .unknown ? .unknown : .sick }
        if layer == .gateway, case .gatewayConfirmed = verdict.reason { return .ok }
        let results = seen.filter(\.isAnswer).map(\.row.result)
        if results.isEmpty { return .notAsked }
        if results.contains(.ok) { return .ok }
        return results.contains(.failed) ? .sick : .unknown
    }

    private var gateways: [IPAddress] { verdict.gateways }

    // MARK: Consequences

    private var conclusion: String {
        let place = verdict.layer.map { " at layer \($0.rawValue)" } ?? ""
        return "conclusion: \(verdict.conclusion.rawValue)\(place), \(change.streak) in a row; health:"
            + " \(change.after.rawValue)"
    }

    private var isCurable: Bool { verdict.callsForBounce(on: settings.bouncedLayers) }

    private var bounce: String {
        if settings.isForced { return "a bounce: yes, whatever the verdict (force)" }
        switch verdict.conclusion {
        case .healthy: return "a bounce: not called for"
        case .unknown: return "a bounce: no, nothing is known to be sick"
        case .sick where isCurable:
            return isAlive ? "a bounce: no, because the link still receives" : "a bounce: could help"
        case .sick: return "a bounce: could not help" + (isChosen ? "" : ", or is not wanted for this layer")
        }
    }

    /// Whether the settings allow a bounce for faults of this layer.
    private var isChosen: Bool { verdict.layer.map(settings.bouncedLayers.contains) ?? false }

    /// Whether another host was heard in spite of the fault.
    private var isAlive: Bool {
        verdict.evidence.contains { if case .liveness = $0 { true } else { false } }
    }

    /// What would change the verdict.
    private var doubt: String {
        let what =
            switch verdict.conclusion {
            case .healthy: healthyDoubt
            case .sick: verdict.reason.opposite + " would make it healthy" + bounceAhead
            case .unknown: verdict.reason.opposite
            }
        return "what would change it: " + what
    }

    private var healthyDoubt: String {
        let missing = settings.rise - change.streak
        return change.after == .healthy || missing < 1
            ? "\(Self.verdicts(settings.fall, "sick")) in a row" + silentDoubt
            : "\(Self.verdicts(missing, "more healthy")) and the outage is over"
    }

    /// The clause that says how many verdicts in a row are needed if they rest on silence alone, because
    /// probes get lost at random; empty if that is no more than `fall`.
    private var silentDoubt: String {
        beyondChance > settings.fall ? ", \(beyondChance) if their only evidence is silence" : ""
    }

    private var beyondChance: Int { quality?.streakBeyondChance ?? 1 }

    private var bounceAhead: String {
        guard isCurable, !settings.isForced else { return "" }
        let fall = settings.fall(for: verdict.reason, beyondChance: beyondChance)
        let missing = fall - change.streak
        if isAlive { return "; a bounce is called for only if the other hosts are silent, too" }
        if change.after == .sick || missing < 1 { return "; until then a bounce is called for" }
        return "; \(Self.verdicts(missing, "more such")) in a row would call for a bounce"
            + (fall > settings.fall
                ? ", more than usual, because "
                    + (verdict.reason.isEchoSilence
                        ? "the gateway still answers the neighbour probe"
                        : "this link loses many packets by chance") : "")
    }

    private static func verdicts(_ count: Int, _ kind: String) -> String {
        "\(count) \(kind) \(count == 1 ? "verdict" : "verdicts")"
    }
}

extension Evidence {
    /// The layer that this evidence is about.
    /// - Parameter gateways: the gateways: an echo to one of them belongs to the layer gateway.
    fileprivate func layer(gateways: [IPAddress]) -> Layer {
        switch self {
        case .radio, .administrative, .radioCondition(.lostInterface): .radio
        case .owner(let condition) where condition.owner == .resolved: .dns
        case .owner(let condition) where condition.owner.isDHCPClient || condition.owner == .ifupdown:
            .address
        case .operational, .association, .port, .owner, .radioCondition: .association
        case .addresses: .address
        case .gateways, .traffic: .gateway
        case .liveness(let sign): sign.manner == .connectionBeyond ? .internet : .gateway
        case .probe(_, .refuted(let layer, _, _)): layer
        case .probe(let question, _): question.layer(gateways: gateways)
        }
    }

    /// Whether this evidence is the condition of an owner of the interface, and not of systemd-resolved.
    fileprivate var isOfOwner: Bool {
        if case .owner(let condition) = self { condition.owner != .resolved } else { false }
    }

    /// Whether this evidence shows that its layer works, or that it does not. Other evidence only describes
    /// the layer: a gateway that is configured may be silent.
    fileprivate var isAnswer: Bool {
        switch self {
        case .radio, .administrative, .operational, .association, .addresses, .probe: true
        case .port, .gateways, .traffic, .liveness, .owner, .radioCondition: false
        }
    }

    /// The evidence as a part of a line.
    /// - Parameter heading: the text with which the line begins already, so that it is not repeated.
    fileprivate func summary(below heading: String = "") -> String {
        let row = row
        guard case .probe = self else {
            return row.probe == heading ? row.detail : "\(row.probe) \(row.detail)"
        }
        let roundTrip = row.roundTrip.map { " in \($0.text)" } ?? ""
        // The probe often ends with the address with which the detail begins, so leave the address out of the
        // detail.
        let target = row.probe.split(separator: " ").last.map { "\($0) " } ?? ""
        let detail = row.detail.hasPrefix(target) ? String(row.detail.dropFirst(target.count)) : row.detail
        return "\(row.probe) \(row.result.rawValue)\(roundTrip)" + (detail.isEmpty ? "" : ", \(detail)")
    }
}

extension Verdict {
    /// The evidence about the verdict's own layer that is not ok, as text; empty: there is none. For the
    /// layer address, this includes the condition of an owner.
    var grounds: String {
        evidence.filter {
            ($0.layer(gateways: gateways) == layer || $0.isOfOwner && layer == .address)
                && $0.row.result != .ok
        }
        .map { $0.summary() }.joined(separator: "; ")
    }

    fileprivate var gateways: [IPAddress] {
        evidence.flatMap { evidence -> [IPAddress] in
            if case .gateways(let gateways) = evidence { gateways.map(\.address) } else { [] }
        }
    }
}

extension ProbeRequest.Question {
    fileprivate func layer(gateways: [IPAddress]) -> Layer {
        switch self {
        case .neighbour: .gateway
        case .icmp(.address(let address)) where gateways.contains(address): .gateway
        case .dns: .dns
        case .icmp, .tcp, .http, .command: .internet
        }
    }
}

extension Reason {
    /// The evidence that would lead to another verdict, as a phrase.
    fileprivate var opposite: String {
        switch self {
        case .radioBlocked: "an unblocked radio"
        case .administrativelyDown: "somebody who sets the link up"
        case .notAssociated, .neverAssociated: "an association"
        case .closedByKernel, .interfaceLost: "a device that works again"
        case .ssidNotFound(let ssid, _, _): "the network \(ssid) in range"
        case .disconnectedLocally: "somebody who asks to join again"
        case .notAuthorised: "the operational state up"
        case .noCarrier: "a carrier"
        case .noAddress: "an address that reaches beyond the link"
        case .addressNotReady: "an address that passes duplicate address detection"
        case .gatewaySilent(let addresses): "a reply from \(Self.any(addresses.map(\.description)))"
        case .gatewayEchoSilent(let addresses, _):
            "an ICMP echo reply from \(Self.any(addresses.map(\.description)))"
        case .gatewayRouteLost(let addresses): "a route through \(Self.any(addresses.map(\.description)))"
        case .targetSilent(let questions), .nameServerSilent(let questions):
            "an answer to \(Self.any(questions.map(\.text)))"
        case .answerWrong(let question, _): "the right answer to \(question.text)"
        case .portal: "a person who logs in"
        case .neverAnswered(let question): "an answer to \(question.text), the first on this network,"
        case .commandUndecided(let path, _): "exit status 0 or 1 of \(path)"
        case .noGateway: "a route with a gateway, or a probe of something else,"
        case .couldNotAsk: "a probe that can be sent"
        case .kernelStateFailed, .noAnswerFromSystem: "an answer of the system"
        case .notVerified: "the next check"
        // These reasons come only with a healthy verdict.
        case .gatewayConfirmed, .probeAnswered, .nothingWrongInKernel: "other evidence"
        }
    }

    private static func any(_ words: [String]) -> String { words.joined(separator: " or ") }
}
