import HelperProtocol

/// The relevant facts about one request to a web server, taken from libcurl and judged elsewhere.
struct HTTPFacts: Hashable {
    /// How the transfer ended.
    enum Ending: Hashable {
        /// The answer is complete, or read as far as needed.
        case whole
        /// The time was over.
        case late
        /// No connection; the error of each attempt.
        case unconnected([SocketFault])
        /// The header is longer than any answer needs.
        case endlessHeader
        /// The certificate does not prove the server's identity.
        case unproven
        /// The certificate is not valid at this machine's time.
        case untimely
        /// TLS itself failed; libcurl's words.
        case tls(String)
        /// The answer is not HTTP, or ended early; which of them.
        case broken(String)
        /// This machine could not send the request; libcurl's words.
        case failed(String)
    }

    var ending: Ending
    /// nil: none was received.
    var status: Int?
    /// Of a redirect, as sent, and any bytes.
    var location: [UInt8]?
    /// The start of the body.
    var body: [UInt8] = []
}
