// What the questions and results of probes mean for a verdict.

extension ProbeSpec {
    /// The layer that this probe tests; nil: it sends nothing.
    package var layer: Layer? {
        switch method {
        case .none: nil
        case .auto, .neighbour, .icmp(nil): .gateway
        case .dns: .dns
        case .icmp, .tcp, .http, .command: .internet
        }
    }

    /// The questions that this probe asks.
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

    /// Whether the probe requests a web page: its answer also shows portals and failed name resolution.
    package var asksForPage: Bool {
        if case .http = method { true } else { false }
    }
}

extension ProbeRequest.Question {
    /// The target as text. The form must never change, because it is saved for later runs. nil for a question
    /// about a neighbour or to a command, whose answers are not recorded.
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

    /// Whether only the target can answer, and only over the link. With proxy ARP, others answer neighbour probes.
    package var reachesTarget: Bool { crossesLink && !isNeighbour }

    /// Whether an answer shows that packets cross the link. A name server on this machine is asked over the
    /// loopback interface, and may answer from its cache or by another uplink.
    package var crossesLink: Bool {
        switch self {
        case .command: false
        case .dns(_, let server): server?.isLoopback != true
        case .neighbour, .icmp, .tcp, .http: true
        }
    }
}

extension Reason {
    /// Whether the fault is only that no answer came.
    public var isSilence: Bool {
        switch self {
        case .gatewaySilent, .gatewayEchoSilent, .targetSilent, .nameServerSilent: true
        case .gatewayConfirmed, .probeAnswered, .nothingWrongInKernel, .radioBlocked, .administrativelyDown,
            .notAssociated, .closedByKernel, .interfaceLost, .disconnectedLocally, .ssidNotFound,
            .notAuthorised, .noCarrier,
            .noAddress, .addressNotReady,
            .gatewayRouteLost, .answerWrong, .portal, .neverAssociated, .noGateway, .couldNotAsk,
            .neverAnswered,
            .commandUndecided, .kernelStateFailed, .noAnswerFromSystem, .notVerified:
            false
        }
    }
}

extension Reason {
    /// Whether a command gave no verdict, which it may do on purpose.
    package var isUndecided: Bool {
        if case .commandUndecided = self { true } else { false }
    }

    /// Whether a gateway that answers as a neighbour did not answer an ICMP echo.
    package var isEchoSilence: Bool {
        if case .gatewayEchoSilent = self { true } else { false }
    }
}

extension ProbeResult {
    /// Whether no answer came, or a wrong one.
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
    /// Whether the target answered, rightly or wrongly: it is reachable.
    package var isReply: Bool {
        switch self {
        case .answered, .refuted: true
        case .unanswered, .neverAnswered, .unknown: false
        }
    }
}
