import Model
import Platform

/// Parses the files in which network managers and resolvers store the name servers of an interface. Skips
/// entries in any other form.
struct DNSServers {
    /// The format of a file.
    enum Format: Hashable {
        /// Lines of the form `nameserver ADDRESS` (resolv.conf(5)).
        case resolverConfiguration
        /// A line `KEY=ADDRESS ADDRESS …`, as in systemd's files for links.
        case assignment(key: String)
        /// Such a line after a line `[GROUP]`, as in NetworkManager's files for devices.
        case keyFile(group: String, key: String)
    }

    /// The interface. An address may contain its name or index as the scope.
    var device: Device

    /// The most servers that are used, as with resolv.conf(5).
    static let maximum = 3
    /// The longest line that is read, in bytes.
    private static let longestLine = 1024
    /// The port of DNS. Servers on other ports are not used.
    private static let port = "53"

    /// The servers in the order of the text: each once, at most `maximum`, and no loopback or unspecified
    /// address.
    func parse(_ text: String, as format: Format) -> [IPAddress] {
        var servers: [IPAddress] = []
        for word in Self.words(text, format) {
            guard let server = address(word), !server.isOfThisMachine, !servers.contains(server) else {
                continue
            }
            servers.append(server)
            if servers.count == Self.maximum { break }
        }
        return servers
    }

    /// The words of a text that should be addresses.
    static func words(_ text: String, _ format: Format) -> [Substring] {
        let lines = text.split(whereSeparator: \.isNewline).filter { $0.utf8.count <= longestLine }
        switch format {
        case .resolverConfiguration:
            return lines.compactMap { line in
                let words = line.split { $0 == " " || $0 == "\t" }
                return words.count >= 2 && words[0] == "nameserver" ? words[1] : nil
            }
        case .assignment(let key): return lines.flatMap { values($0, of: key) }
        case .keyFile(let group, let key):
            let start = lines.firstIndex { $0 == "[\(group)]" }.map { $0 + 1 } ?? lines.endIndex
            return lines[start...].prefix { !$0.hasPrefix("[") }.flatMap { values($0, of: key) }
        }
    }

    private static func values(_ line: Substring, of key: String) -> [Substring] {
        guard line.hasPrefix(key + "=") else { return [] }
        return line.dropFirst(key.count + 1).split { $0 == " " || $0 == "," || $0 == ";" }
    }

    /// Parses `ADDRESS`, `ADDRESS%SCOPE`, `ADDRESS:53` or `[ADDRESS]:53`, each with or without `#NAME` at its
    /// end, as systemd-resolved and systemd-networkd write them. Returns nil for another port or the scope of
    /// another link.
    private func address(_ word: Substring) -> IPAddress? {
        let bare = word.prefix { $0 != "#" }
        let parts = bare.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2, parts[1] != device.name, parts[1] != "\(device.index.rawValue)" { return nil }
        let text = parts.first ?? ""
        if let address = IPAddress(String(text)) { return address }
        guard let colon = text.lastIndex(of: ":"), text[text.index(after: colon)...] == Self.port else {
            return nil
        }
        let host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            return IPAddress(String(host.dropFirst().dropLast())).flatMap { $0.isIPv6 ? $0 : nil }
        }
        return IPAddress(String(host)).flatMap { $0.isIPv6 ? nil : $0 }
    }
}

extension IPAddress {
    /// Whether this is an unspecified or loopback address. A resolver on this machine may use any link.
    fileprivate var isOfThisMachine: Bool {
        switch self {
        case .v4(let bits): isLoopback || bits >> 24 == 0
        case .v6(let bits): isLoopback || bits == 0
        }
    }

    /// Whether this is an address of a private network (RFC 1918, RFC 4193), or a link-local IPv6 address.
    var isPrivate: Bool {
        switch self {
        case .v4(let bits): bits >> 24 == 10 || bits >> 20 == 0xac1 || bits >> 16 == 0xc0a8
        case .v6(let bits): bits >> 121 == 0xfc >> 1 || isIPv6LinkLocal
        }
    }
}
