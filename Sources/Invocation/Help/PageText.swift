import Model

/// The value of a probe after `http:`: a URL, and, after a space, the expected answer if it is not the
/// default: `status=NUMBER` or `body=TEXT`. A URL contains no space, so its end is unambiguous.
enum PageText {
    private static let statuses = 200...599
    /// The longest text to look for in the body, in bytes: enough for a sentence.
    private static let longestBody = 200

    static func parse(_ text: String) throws(ValueProblem) -> HTTPQuestion {
        let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        let url = String(parts[0])
        if let problem = URLText.problem(of: url) { throw .badURL(problem) }
        guard parts.count > 1 else { return HTTPQuestion(url: url) }
        return HTTPQuestion(url: url, expectation: try parseExpectation(String(parts[1])))
    }

    private static func parseExpectation(_ text: String) throws(ValueProblem) -> HTTPQuestion.Expectation {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let value = parts.count > 1 ? String(parts[1]) : ""
        switch parts[0] {
        case "status" where parts.count > 1:
            guard value.utf8.count == 3, let status = PortText.parse(value[...]),
                statuses.contains(Int(status))
            else { throw .notAStatus(value, statuses) }
            return .status(Int(status))
        case "body" where parts.count > 1:
            guard (1...longestBody).contains(value.utf8.count), PlainText.isPlain(value) else {
                throw .notABody(longestBody)
            }
            return .body(value)
        default: throw .notAnExpectation(text)
        }
    }
}

/// Checks text that must be one line without control characters.
enum PlainText {
    /// Whether the text contains no character that would affect a terminal or end a line.
    static func isPlain(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
    }
}
