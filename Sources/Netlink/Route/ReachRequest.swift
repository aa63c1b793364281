import CNetlink
import Glibc
import Toggling

extension Conversation {
    /// The interface by which packets from one address to another leave (RTM_GETROUTE without NLM_F_DUMP); nil:
    /// there is no way.
    mutating func interface(from local: IPAddress, to peer: IPAddress) throws(Failure) -> InterfaceIndex? {
        var header = rtmsg()
        header.rtm_family = UInt8(peer.family)
        header.rtm_dst_len = UInt8(peer.bytes.count * 8)
        header.rtm_src_len = UInt8(local.bytes.count * 8)
        let request = Request(
            RTM_GETROUTE, header: header,
            attributes: [
                Request.Attribute(RTA_DST, peer.bytes), Request.Attribute(RTA_SRC, local.bytes),
            ])
        do throws(Failure) {
            return try ask(request, of: route).lazy.compactMap { RouteMessage.parse($0.payload) }
                .first?.nextHops.first?.index
        } catch  where Self.unreachable.contains(error.code) {
            return nil
        }
    }

    /// No route, one that forbids it, or a source address that is gone.
    private static let unreachable = [ENETUNREACH, EHOSTUNREACH, EACCES, EINVAL]
}
