import Toggling

/// What stands behind `--probe`: `auto`, `none`, `neighbour[:ADDR]`, `icmp[:HOST]`, `tcp:HOST:PORT`, each
/// with a leading `+` where it must succeed.
enum ProbeText {
    /// The kinds that work.
    static let kinds = ["auto", "none", "neighbour", "icmp", "tcp"]
    /// The kinds that are known and answered with `notYet`.
    private static let unavailable = ["dns", "http", "command"]
    private static let americanNeighbour = "neighbor"

    static func parse(_ text: String) throws(ValueProblem) -> ProbeSpec {
        guard !text.isEmpty else { throw .empty }
        let isRequired = text.utf8.first == UInt8(ascii: "+")
        let parts = text.dropFirst(isRequired ? 1 : 0)
            .split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let kind = String(parts[0])
        let target = parts.count > 1 ? String(parts[1]) : nil
        let method = try parseMethod(kind, target)
        if method == .none, isRequired { throw .noneIsRequired }
        return ProbeSpec(method, isRequired: isRequired)
    }

    private static func parseMethod(_ kind: String, _ target: String?) throws(ValueProblem)
        -> ProbeSpec.Method
    {
        switch kind {
        case "auto", "none":
            guard target == nil else { throw .probeTakesNothing(kind) }
            return kind == "auto" ? .auto : .none
        case "neighbour", americanNeighbour:
            guard let target else { return .neighbour(nil) }
            guard !target.isEmpty else { throw .hostMissing }
            guard let address = IPAddress(target) else { throw .notAnAddress(target) }
            return .neighbour(address)
        case "icmp":
            return .icmp(try target.map { text throws(ValueProblem) in try parseHost(text) })
        case "tcp":
            return try parseTCP(target ?? "")
        default:
            if unavailable.contains(kind) { throw .notYet(kind) }
            let known = kinds + unavailable + [americanNeighbour]
            throw .unknownProbe(suggestion: Suggestion.nearest(to: kind, among: known))
        }
    }

    private static func parseHost(_ text: String) throws(ValueProblem) -> ProbeTarget {
        guard !text.isEmpty else { throw .hostMissing }
        guard let host = HostText.parse(text) else { throw .notAHost(text) }
        return host
    }

    /// `HOST:PORT`, an IPv6 address in brackets.
    private static func parseTCP(_ text: String) throws(ValueProblem) -> ProbeSpec.Method {
        guard !text.isEmpty else { throw .hostMissing }
        if text.utf8.first == UInt8(ascii: "[") {
            let parts = text.dropFirst().split(separator: "]", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let address = IPAddress(String(parts[0])), case .v6 = address else {
                throw .notAHost(text)
            }
            guard parts[1].utf8.first == UInt8(ascii: ":") else { throw .portMissing }
            return .tcp(.address(address), port: try parsePort(parts[1].dropFirst()))
        }
        if IPAddress(text) != nil, text.utf8.contains(UInt8(ascii: ":")) { throw .bracketsMissing }
        guard let colon = text.lastIndex(of: ":") else { throw .portMissing }
        let host = String(text[..<colon])
        if host.contains(":") { throw .bracketsMissing }
        return .tcp(try parseHost(host), port: try parsePort(text[text.index(after: colon)...]))
    }

    private static func parsePort(_ text: Substring) throws(ValueProblem) -> UInt16 {
        guard !text.isEmpty else { throw .portMissing }
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let port = UInt16(text), port > 0
        else { throw .notAPort(String(text)) }
        return port
    }
}
