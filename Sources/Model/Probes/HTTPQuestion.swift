/// A request to a web server, and the expected answer.
public struct HTTPQuestion: Codable, Hashable, Sendable {
    /// The expected answer.
    public enum Expectation: Codable, Hashable, Sendable {
        /// This status (RFC 9110, section 15), 200 to 599. A redirect is an answer, and is not followed.
        case status(Int)
        /// Any status from 200 to 299, and this text in the first 16 KiB of the body.
        case body(String)

        /// Status 204 ("No Content"), the answer of the web pages that exist to detect portals.
        public static let usual = Self.status(204)
    }

    /// An absolute URL of the scheme `http` or `https`, with a host and without user information, in
    /// printable ASCII.
    public var url: String
    public var expectation: Expectation

    public init(url: String, expectation: Expectation = .usual) {
        self.url = url
        self.expectation = expectation
    }
}
