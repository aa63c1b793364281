/// An error in a URL.
public enum URLProblem: Equatable, Sendable {
    case empty
    case tooLong
    /// A character is a backslash, or not printable ASCII: such characters must be written as %XX.
    case badCharacter
    case noScheme
    case otherScheme(String)
    case userInformation
    case noHost
    case notAHost(String)
    case notAPort(String)

    /// The problem as the end of a sentence that begins with the value, such as "names no URL".
    var description: String {
        switch self {
        case .empty: "names no URL"
        case .tooLong: "has a URL of more than \(URLText.longest) bytes"
        case .badCharacter: "has a character in its URL that must be written as %XX"
        case .noScheme: "has no URL: a URL begins with http:// or https://"
        case .otherScheme(let scheme):
            "has a URL that begins with \(QuotedText.quote(scheme)), not with http or https"
        case .userInformation:
            "has a user name in its URL, which would be visible in the journal and to other users"
        case .noHost: "has a URL without a host"
        case .notAHost(let host): "names \(QuotedText.quote(host)), neither a host name nor an address"
        case .notAPort(let port): "names \(QuotedText.quote(port)), which is not a port (1 to 65535)"
        }
    }
}
