// What questions and answers mean for a verdict.

extension ProbeSpec {
    /// The layer that this probe tests; nil: none.
    package var layer: Layer? {
        switch method {
        case .none: nil
        case .auto, .neighbour, .icmp(nil): .gateway
        case .dns: .dns
        case .icmp, .tcp, .http, .command: .internet
        }
    }

    /// What it asks.
    package func questions(of gateways: [IPAddress]) -> [ProbeRequest.Question] {
        switch method {
        case .none: []
        case .auto, .neighbour(nil): gateways.map { .neighbour($0) }
        case .neighbour(let address?): [.neighbour(address)]
        case .icmp(nil): gateways.map { .icmp(.address($0)) }
        case .icmp(let target?): [.icmp(target)]
        case .tcp(let target, let port): [.tcp(target, port: port)]
        case .dns(let name, let server): [.dns(name: name, server: server)]
        case .http(let question): [.http(question)]
        case .command(let path): [.command(path)]
        }
    }

    /// Whether the target is beyond the gateway.
    package var isBeyondGateway: Bool { layer == .dns || layer == .internet }

    /// Whether it also tells about portals and names.
    package var asksForPage: Bool {
        if case .http = method { true } else { false }
    }
}

extension ProbeRequest.Question {
    /// The target as text that does not change, because it is saved for later runs. nil: the question is
    /// about a neighbour that the interface's own routes name, or does not go to the network.
    package var target: String? {
        switch self {
        case .neighbour, .command: nil
        case .icmp(let target): "icmp \(target)"
        case .tcp(let target, let port): "tcp \(target) \(port)"
        case .dns(let name, let server): "dns \(name)" + (server.map { " \($0)" } ?? "")
        case .http(let question): "http \(question.url)"
        }
    }

    package var isNeighbour: Bool {
        if case .neighbour = self { true } else { false }
    }
    package var isCommand: Bool {
        if case .command = self { true } else { false }
    }
}

extension Reason {
    /// No answer, and nothing else is wrong with the link.
    public var isSilence: Bool {
        switch self {
        case .gatewaySilent, .gatewayEchoSilent, .targetSilent, .nameServerSilent: true
        case .gatewayConfirmed, .probeAnswered, .nothingWrongInKernel, .radioBlocked, .administrativelyDown,
            .notAssociated, .disconnectedLocally, .ssidNotFound, .notAuthorised, .noCarrier, .noAddress,
            .addressNotReady,
            .gatewayRouteLost, .answerWrong, .portal, .neverAssociated, .noGateway, .couldNotAsk,
            .neverAnswered,
            .commandUndecided, .kernelStateFailed, .noAnswerFromSystem, .notVerified:
            false
        }
    }
}

extension Reason {
    /// No answer to an ICMP echo, from a gateway that answers as a neighbour.
    package var isEchoSilence: Bool {
        if case .gatewayEchoSilent = self { true } else { false }
    }
}

extension ProbeResult {
    package var isAnswer: Bool {
        if case .answered = self { true } else { false }
    }
    /// No answer, or a wrong one.
    package var isSilence: Bool {
        switch self {
        case .unanswered, .refuted: true
        case .answered, .neverAnswered, .unknown: false
        }
    }
    package var isUnknown: Bool {
        if case .unknown = self { true } else { false }
    }
    package var isNeverAnswered: Bool {
        if case .neverAnswered = self { true } else { false }
    }
    /// The target is there.
    package var isReply: Bool {
        switch self {
        case .answered, .refuted: true
        case .unanswered, .neverAnswered, .unknown: false
        }
    }
}
