import Model

/// A URL that a probe may request (RFC 3986): `http` or `https`, a host, and no user information. Forms that
/// URL parsers read differently are refused, so that the host that is checked here is the host that is
/// contacted.
enum URLText {
    /// The longest URL in bytes, which is also the longest in a request to the helper.
    static let longest = 1024

    /// The first problem of a URL; nil: the URL is valid.
    static func problem(of text: String) -> URLProblem? {
        guard !text.isEmpty else { return .empty }
        guard text.utf8.count <= longest else { return .tooLong }
        guard text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "\\") }) else {
            return .badCharacter
        }
        // From here on everything is ASCII: one character is one byte.
        guard let slashes = firstIndex(of: "://", in: text) else { return .noScheme }
        let scheme = String(text[..<slashes.lowerBound])
        guard scheme == "http" || scheme == "https" else { return .otherScheme(scheme) }
        let authority = text[slashes.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard !authority.contains("@") else { return .userInformation }
        return problem(ofAuthority: authority)
    }

    private static func firstIndex(of mark: String, in text: String) -> Range<String.Index>? {
        for index in text.indices where text[index...].hasPrefix(mark) {
            return index..<text.index(index, offsetBy: mark.count)
        }
        return nil
    }

    /// Checks `HOST` or `HOST:PORT`; an IPv6 address is in brackets.
    private static func problem(ofAuthority authority: Substring) -> URLProblem? {
        let host: Substring
        let rest: Substring
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { return .notAHost(String(authority)) }
            host = authority[authority.index(after: authority.startIndex)..<end]
            rest = authority[authority.index(after: end)...]
            guard case .v6? = IPAddress(String(host)) else { return .notAHost(String(authority)) }
        } else {
            host = authority.prefix { $0 != ":" }
            rest = authority[host.endIndex...]
            // Another colon means an IPv6 address without brackets.
            guard !rest.dropFirst().contains(":") else { return .notAHost(String(authority)) }
            guard !host.isEmpty else { return .noHost }
            guard HostText.parse(String(host)) != nil else { return .notAHost(String(host)) }
        }
        guard !rest.isEmpty else { return nil }
        guard rest.first == ":" else { return .notAHost(String(authority)) }
        return PortText.parse(rest.dropFirst()) == nil ? .notAPort(String(rest.dropFirst())) : nil
    }
}

/// A port number as users write it.
enum PortText {
    /// Parses a port, 1 to 65535; otherwise nil.
    static func parse(_ text: Substring) -> UInt16? {
        guard text.utf8.allSatisfy(\.isASCIIDigit),
            let port = UInt16(text), port > 0
        else { return nil }
        return port
    }
}
