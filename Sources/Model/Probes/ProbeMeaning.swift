// What questions and answers mean to whoever judges.

extension ProbeSpec {
    /// The layer that this probe tells of; nil: none.
    package var layer: Layer? {
        switch method {
        case .none: nil
        case .auto, .neighbour, .icmp(nil): .gateway
        case .dns: .dns
        case .icmp, .tcp, .http, .command: .internet
        }
    }

    /// Asked of somebody beyond the gateway.
    package var isBeyondGateway: Bool { layer == .dns || layer == .internet }
}

extension ProbeRequest.Question {
    /// Whom it is put to, in words that stay the same: they are kept for later runs. nil: a neighbour, whom the
    /// interface's own routes name, or nobody on the network.
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
    /// Nothing came back, and nothing else speaks against the link.
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
    /// No answer, or none that is right.
    package var isSilence: Bool {
        switch self {
        case .unanswered, .refuted: true
        case .answered, .neverAnswered, .unknown: false
        }
    }
    package var isUnknown: Bool {
        if case .unknown = self { true } else { false }
    }
    /// Somebody was there.
    package var isReply: Bool {
        switch self {
        case .answered, .refuted: true
        case .unanswered, .neverAnswered, .unknown: false
        }
    }
}
