import CNetlink
import Glibc
import Model

/// A neighbour entry as rtnetlink(7) reports it (RTM_NEWNEIGH, RTM_DELNEIGH, struct ndmsg).
struct NeighbourMessage {
    var index: InterfaceIndex
    var address: IPAddress
    var neighbour: Neighbour

    /// The times in the messages are in ticks. This is the number of ticks per second: USER_HZ (sysconf(3),
    /// _SC_CLK_TCK).
    static let ticksPerSecond = max(1, Int64(sysconf(Int32(_SC_CLK_TCK))))

    /// Returns nil for a proxy entry (NTF_PROXY), and if this is not an IPv4 or IPv6 neighbour: bridges
    /// report their tables with the same messages.
    static func parse(_ payload: Bytes, ticksPerSecond: Int64 = ticksPerSecond) -> NeighbourMessage? {
        guard let header = payload.structure(ndmsg.self), header.ndm_ifindex > 0,
            Int32(header.ndm_flags) & NTF_PROXY == 0
        else { return nil }
        let attributes = Attributes(payload.following(ndmsg.self))
        guard let bytes = attributes[NDA_DST],
            let address = IPAddress(bytes: bytes, family: Int32(header.ndm_family))
        else { return nil }
        let state = Neighbour.State(bits: Int32(header.ndm_state))
        return NeighbourMessage(
            index: InterfaceIndex(rawValue: header.ndm_ifindex), address: address,
            neighbour: Neighbour(
                state: state, macAddress: attributes[NDA_LLADDR].flatMap { MACAddress($0) },
                confirmed: state.isVerifiable
                    ? confirmed(attributes[NDA_CACHEINFO], ticksPerSecond: ticksPerSecond) : nil))
    }

    /// The time since the last confirmation (struct nda_cacheinfo, ndm_confirmed; linux/neighbour.h).
    private static func confirmed(_ payload: Bytes?, ticksPerSecond: Int64) -> Duration? {
        guard let times = payload?.structure(nda_cacheinfo.self) else { return nil }
        let (seconds, ticks) = Int64(times.ndm_confirmed).quotientAndRemainder(dividingBy: ticksPerSecond)
        return .seconds(seconds) + .seconds(ticks) / Int(ticksPerSecond)
    }
}

extension Neighbour.State {
    /// Converts the NUD_* state of an entry, which has at most one of these bits set.
    init(bits: Int32) {
        switch bits {
        case NUD_INCOMPLETE: self = .incomplete
        case NUD_REACHABLE: self = .reachable
        case NUD_STALE: self = .stale
        case NUD_DELAY: self = .delay
        case NUD_PROBE: self = .probe
        case NUD_FAILED: self = .failed
        case NUD_NOARP: self = .noARP
        case NUD_PERMANENT: self = .permanent
        default: self = .none
        }
    }

    /// Whether the entry has a link-layer address that the kernel confirms from time to time. The time of
    /// confirmation means nothing in the other states: the kernel sets an arbitrary time for a new entry, and
    /// never confirms a permanent entry.
    var isVerifiable: Bool {
        switch self {
        case .reachable, .stale, .delay, .probe: true
        case .none, .incomplete, .failed, .noARP, .permanent: false
        }
    }
}
