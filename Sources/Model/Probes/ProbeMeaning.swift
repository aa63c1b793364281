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

    /// Whether the target is beyond the gateway.
    package var isBeyondGateway: Bool { layer == .dns || layer == .internet }
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
        switch self {
        case .neighbour: true
        case .icmp, .tcp, .dns, .http, .command: false
        }
    }
}

extension Reason {
    /// No answer, and nothing else is wrong with the link.
    public var isSilence: Bool {
        switch self {
        case .gatewaySilent, .targetSilent, .nameServerSilent: true
        case .gatewayConfirmed, .probeAnswered, .nothingWrongInKernel, .radioBlocked, .administrativelyDown,
            .notAssociated, .disconnectedLocally, .ssidNotFound, .notAuthorised, .noCarrier, .noAddress,
            .addressNotReady,
            .gatewayRouteLost, .answerWrong, .portal, .noGateway, .couldNotAsk, .neverAnswered,
            .commandUndecided, .kernelStateFailed, .noAnswerFromSystem, .notVerified:
            false
        }
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
    /// The target is there.
    package var isReply: Bool {
        switch self {
        case .answered, .refuted: true
        case .unanswered, .neverAnswered, .unknown: false
        }
    }
}
