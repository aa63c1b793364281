import CAres
import HelperProtocol
import Model

/// The result of one question to one name server.
enum DNSReply: Hashable {
    case addresses([IPAddress])
    /// The server has replied without an address; the text says why.
    case refused(String)
    /// The server has replied that it failed (SERVFAIL).
    case serverFailed
    case silent
    /// A socket call has failed, or an ICMP error has arrived.
    case fault(SocketFault)
    /// c-ares could not send the question.
    case failed(String)

    /// Converts a status of c-ares that is not success.
    /// - Parameter fault: the error of the sockets; nil if there was none.
    init(status: Int32, fault: SocketFault?) {
        switch status {
        case cares_enodata: self = .refused("knows no address of it")
        case cares_enotfound: self = .refused("says that there is no such name (NXDOMAIN)")
        case cares_eservfail: self = .serverFailed
        case cares_erefused: self = .refused("refuses to answer (REFUSED)")
        case cares_eformerr: self = .refused("does not understand the question (FORMERR)")
        case cares_enotimp: self = .refused("does not answer such questions (NOTIMP)")
        case cares_ebadresp: self = .refused("sent a malformed answer")
        case cares_etimeout, cares_ecancelled, cares_edestruction:
            self = fault.map(Self.fault) ?? .silent
        case cares_econnrefused: self = fault.map(Self.fault) ?? .silent
        default: self = .failed(String(cString: ares_strerror(status)))
        }
    }
}
