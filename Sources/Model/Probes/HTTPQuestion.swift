/// What is asked of a web server, and which answer is the right one.
public struct HTTPQuestion: Codable, Hashable, Sendable {
    /// What the answer has to be.
    public enum Expectation: Codable, Hashable, Sendable {
        /// This status (RFC 9110, section 15), 200 to 599. A redirect is followed by nobody: it is an answer.
        case status(Int)
        /// Any status from 200 to 299, and this text somewhere in the body.
        case body(String)

        /// 204, "No Content": what the pages answer that are there to find out whether a portal stands between.
        public static let usual = Self.status(204)
    }

    /// Absolute, `http` or `https`, with a host and without user information; printable ASCII alone.
    public var url: String
    public var expectation: Expectation

    public init(url: String, expectation: Expectation = .usual) {
        self.url = url
        self.expectation = expectation
    }
}
