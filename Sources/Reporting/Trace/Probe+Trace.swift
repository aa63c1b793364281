import Model
import Toggling

// Probes, their answers and what failed, in a trace.

extension ProbeTarget {
    private enum Kind: String { case address, name }

    var traceJSON: JSONText {
        switch self {
        case .address(let address): .tagged(Kind.address, address.traceJSON)
        case .name(let name): .tagged(Kind.name, .string(name))
        }
    }

    init(traceJSON json: JSONText) throws(TraceMistake) {
        let (kind, payload) = try json.tag("a target", Kind.self)
        switch kind {
        case .address: self = .address(try IPAddress(traceJSON: payload))
        case .name: self = .name(try payload.text())
        }
    }
}

extension ProbeSpec {
    var traceJSON: JSONText {
        .members([("method", method.traceJSON), ("required", isRequired ? .bool(true) : nil)])
    }

    init(traceJSON json: JSONText) throws(TraceMistake) {
        var object = try TraceObject(json)
        self.init(
            try Method(traceJSON: object.take("method")),
            isRequired: try object.takeIfThere("required")?.flag() ?? false)
        try object.end()
    }
}

extension ProbeSpec.Method {
    private enum Kind: String { case auto, none, neighbour, icmp, tcp, dns, http, command }

    var traceJSON: JSONText {
        switch self {
        case .auto: .tagged(Kind.auto)
        case .none: .tagged(Kind.none)
        case .neighbour(let address): .tagged(Kind.neighbour, address?.traceJSON)
        case .icmp(let target): .tagged(Kind.icmp, target?.traceJSON)
        case .tcp(let target, let port):
            .tagged(Kind.tcp, .members([("target", target.traceJSON), ("port", .number(port))]))
        case .dns(let name, let server):
            .tagged(Kind.dns, .members([("name", .string(name)), ("server", server?.traceJSON)]))
        case .http(let question): .tagged(Kind.http, question.traceJSON)
        case .command(let path): .tagged(Kind.command, .string(path))
        }
    }

    init(traceJSON json: JSONText) throws(TraceMistake) {
        let (kind, payload) = try json.tag("a probe", Kind.self)
        switch kind {
        case .auto:
            try payload.nothing()
            self = .auto
        case .none:
            try payload.nothing()
            self = .none
        case .neighbour: self = .neighbour(try payload.ifThere.map(IPAddress.init(traceJSON:)))
        case .icmp: self = .icmp(try payload.ifThere.map(ProbeTarget.init(traceJSON:)))
        case .tcp:
            var object = try TraceObject(payload)
            self = .tcp(
                try ProbeTarget(traceJSON: object.take("target")), port: try object.take("port").number())
            try object.end()
        case .dns:
            var object = try TraceObject(payload)
            self = .dns(
                name: try object.take("name").text(),
                server: try object.takeIfThere("server").map(IPAddress.init(traceJSON:)))
            try object.end()
        case .http: self = .http(try HTTPQuestion(traceJSON: payload))
        case .command: self = .command(path: try payload.text())
        }
    }
}

extension HTTPQuestion {
    private enum Kind: String { case status, body }

    var traceJSON: JSONText {
        let expected: JSONText =
            switch expectation {
            case .status(let number): .tagged(Kind.status, .number(number))
            case .body(let text): .tagged(Kind.body, .string(text))
            }
        return .members([("url", .string(url)), ("expects", expected)])
    }

    init(traceJSON json: JSONText) throws(TraceMistake) {
        var object = try TraceObject(json)
        let url = try object.take("url").text()
        let (kind, payload) = try object.take("expects").tag("an expectation", Kind.self)
        switch kind {
        case .status: self.init(url: url, expectation: .status(try payload.number()))
        case .body: self.init(url: url, expectation: .body(try payload.text()))
        }
        try object.end()
    }
}

extension ProbeResult {
    private enum Kind: String { case answered, unanswered, refuted, neverAnswered, unknown }

    var traceJSON: JSONText {
        switch self {
        case .answered(let roundTrip, let detail):
            .tagged(
                Kind.answered, .members([("round_trip", .duration(roundTrip)), ("detail", .string(detail))]))
        case .unanswered(let detail): .tagged(Kind.unanswered, .string(detail))
        case .refuted(let layer, let roundTrip, let detail):
            .tagged(
                Kind.refuted,
                .members([
                    ("layer", .tagged(layer)), ("round_trip", .duration(roundTrip)),
                    ("detail", .string(detail)),
                ]))
        case .neverAnswered(let detail): .tagged(Kind.neverAnswered, .string(detail))
        case .unknown(let failure): .tagged(Kind.unknown, failure.traceJSON)
        }
    }

    init(traceJSON json: JSONText) throws(TraceMistake) {
        let (kind, payload) = try json.tag("the end of a probe", Kind.self)
        switch kind {
        case .answered:
            var object = try TraceObject(payload)
            self = .answered(
                roundTrip: try object.take("round_trip").duration(), detail: try object.take("detail").text())
            try object.end()
        case .unanswered: self = .unanswered(detail: try payload.text())
        case .refuted:
            var object = try TraceObject(payload)
            let (layer, nothing) = try object.take("layer").tag("a layer", Layer.self)
            try nothing.nothing()
            self = .refuted(
                layer: layer, roundTrip: try object.take("round_trip").duration(),
                detail: try object.take("detail").text())
            try object.end()
        case .neverAnswered: self = .neverAnswered(detail: try payload.text())
        case .unknown: self = .unknown(try Failure(traceJSON: payload))
        }
    }
}

extension Failure {
    var traceJSON: JSONText {
        .members([("kind", .word(kind)), ("code", .number(code)), ("words", .string(words))])
    }

    init(traceJSON json: JSONText) throws(TraceMistake) {
        var object = try TraceObject(json)
        self.init(
            kind: try object.take("kind").word("a kind of failure"), code: try object.take("code").number(),
            words: try object.take("words").text())
        try object.end()
    }
}

extension JSONText {
    /// nil: null.
    fileprivate var ifThere: JSONText? {
        if case .null = self { nil } else { self }
    }
}
