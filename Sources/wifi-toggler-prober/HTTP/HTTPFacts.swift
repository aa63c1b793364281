import HelperProtocol

/// What one request to a web server met, as far as it matters; made of libcurl's words, judged elsewhere.
struct HTTPFacts: Hashable {
    /// How the transfer ended.
    enum Ending: Hashable {
        /// The answer is whole, or as much of it as is looked at.
        case whole
        /// The time was over.
        case late
        /// No connection; what each attempt met.
        case unconnected([SocketFault])
        /// More header than any answer needs.
        case endlessHeader
        /// The certificate does not prove who it is.
        case unproven
        /// The certificate is not valid at this machine's time.
        case untimely
        /// TLS itself failed; libcurl's words.
        case tls(String)
        /// What came is no HTTP, or it broke off; which.
        case broken(String)
        /// This machine could not ask; libcurl's words.
        case failed(String)
    }

    var ending: Ending
    /// nil: none came.
    var status: Int?
    /// Of a redirect, as sent, and any bytes.
    var location: [UInt8]?
    /// The start of the body.
    var body: [UInt8] = []
}
