import Model

/// The value of `--probe`: `auto`, `none`, `neighbour[:ADDR]`, `icmp[:HOST]`, `tcp:HOST:PORT`,
/// `dns:NAME[@SERVER]`, `http:URL`, `command:PATH`, each but `none` with a leading `+` if it
/// must succeed.
enum ProbeText {
    static let kinds = ["auto", "none", "neighbour", "icmp", "tcp", "dns", "http", "command"]
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
        case "dns": return try parseDNS(target ?? "")
        case "http":
            // The user typed a URL without the kind of probe before it.
            if let target, target.utf8.starts(with: "//".utf8) { throw .urlAlone }
            return .http(try PageText.parse(target ?? ""))
        case "https": throw .urlAlone
        case "command": return .command(path: try PathText.parse(target ?? ""))
        default:
            let known = kinds + [americanNeighbour]
            throw .unknownProbe(suggestion: Suggestion.nearest(to: kind, among: known))
        }
    }

    private static func parseHost(_ text: String) throws(ValueProblem) -> ProbeTarget {
        guard !text.isEmpty else { throw .hostMissing }
        guard let host = HostText.parse(text) else { throw .notAHost(text) }
        return host
    }

    /// Parses `NAME` or `NAME@SERVER`.
    private static func parseDNS(_ text: String) throws(ValueProblem) -> ProbeSpec.Method {
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first, !name.isEmpty else { throw .nameMissing }
        guard case .name(let name)? = HostText.parse(String(name)) else { throw .notAName(String(name)) }
        guard parts.count > 1 else { return .dns(name: name, server: nil) }
        guard let server = IPAddress(String(parts[1])) else { throw .notAServer(String(parts[1])) }
        return .dns(name: name, server: server)
    }

    /// Parses `HOST:PORT`; an IPv6 address is in brackets.
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
        guard let port = PortText.parse(text) else { throw .notAPort(String(text)) }
        return port
    }
}
