import HelperProtocol

/// The facts about one request to a web server, as libcurl reports them. ``HTTPJudgement`` judges them.
struct HTTPFacts: Hashable {
    /// How the transfer ended.
    enum Ending: Hashable {
        /// The answer is complete, or was read as far as necessary.
        case whole
        /// The deadline has passed.
        case late
        /// No connection could be made; the error of each attempt.
        case unconnected([SocketFault])
        /// The header is longer than the limit.
        case endlessHeader
        /// The certificate does not prove the server's identity.
        case unproven
        /// The certificate is not valid at the present time of this machine's clock.
        case untimely
        /// TLS has failed; the text is libcurl's.
        case tls(String)
        /// The answer is not HTTP, or has ended early; the text says which.
        case broken(String)
        /// This machine could not send the request; the text is libcurl's.
        case failed(String)
    }

    var ending: Ending
    /// The HTTP status; nil if none was received.
    var status: Int?
    /// The value of the header Location as it was sent. It may contain any bytes.
    var location: [UInt8]?
    /// The first bytes of the body.
    var body: [UInt8] = []
}
