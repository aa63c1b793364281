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
        case cares_enodata: self = .refused("knows no address of it")
        case cares_enotfound: self = .refused("says that there is no such name (NXDOMAIN)")
        case cares_eservfail: self = .refused("failed to answer (SERVFAIL)")
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
