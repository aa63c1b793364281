import CAres
import HelperProtocol
import Model

/// The result of one question to one name server.
enum DNSReply: Hashable {
    case addresses([IPAddress])
    /// It answered without an address; why.
    case refused(String)
    case silent
    /// The socket failed, or an ICMP error came back.
    case fault(SocketFault)
    /// c-ares could not send the question.
    case failed(String)

    /// From a status of c-ares other than success. `fault`: the error that the sockets met.
    init(status: Int32, fault: SocketFault?) {
        switch status {
        case ARES_ENODATA: self = .refused("knows no address of it")
        case ARES_ENOTFOUND: self = .refused("says that there is no such name (NXDOMAIN)")
        case ARES_ESERVFAIL: self = .refused("failed to answer (SERVFAIL)")
        case ARES_EREFUSED: self = .refused("refuses to answer (REFUSED)")
        case ARES_EFORMERR: self = .refused("does not understand the question (FORMERR)")
        case ARES_ENOTIMP: self = .refused("does not answer such questions (NOTIMP)")
        case ARES_EBADRESP: self = .refused("sent a malformed answer")
        case ARES_ETIMEOUT, ARES_ECANCELLED, ARES_EDESTRUCTION:
            self = fault.map(Self.fault) ?? .silent
        case ARES_ECONNREFUSED: self = fault.map(Self.fault) ?? .silent
        default: self = .failed(String(cString: ares_strerror(status)))
        }
    }
}
