import CNetlink
import Model

/// An interface stacked on the bounced one. Only VLANs go down with their lower link (vlan_device_event()),
/// and with them the VLANs on top of them; the kernel raises them again with it, also those that an
/// administrator had set down.
struct SavedLink: SavedState {
    static let kind = Snapshot.Item.Kind.link

    let index: InterfaceIndex
    let name: String
    /// IFLA_LINK: the lower link; nil: in another network namespace, or not reported.
    let lower: InterfaceIndex?
    let isUp: Bool

    /// nil: not an interface.
    init?(_ payload: Bytes) {
        guard let header = payload.structure(ifinfomsg.self), header.ifi_index > 0,
            Int32(header.ifi_family) == AF_UNSPEC
        else { return nil }
        let attributes = Attributes(payload.following(ifinfomsg.self))
        index = InterfaceIndex(rawValue: header.ifi_index)
        name = attributes[IFLA_IFNAME]?.text ?? ""
        isUp = header.ifi_flags & IFF_UP.rawValue != 0
        let kind = attributes[IFLA_LINKINFO]?.nested[IFLA_INFO_KIND]?.text
        let isHere = kind == Self.vlan && attributes[IFLA_LINK_NETNSID] == nil
        lower = isHere ? attributes[IFLA_LINK]?.interfaceIndex : nil
    }

    private static let vlan = "vlan"

    /// The VLANs; a kernel without VLAN support sends all interfaces. Without their counters.
    static var requestAll: Request {
        let kind = Array(vlan.utf8) + [0]
        let length = UInt16(MemoryLayout<nlattr>.size + kind.count)
        let nested = Array(of: nlattr(nla_len: length, nla_type: UInt16(IFLA_INFO_KIND))) + kind
        return Request(
            RTM_GETLINK, flags: NLM_F_DUMP, header: ifinfomsg(),
            attributes: [
                Request.Attribute(IFLA_EXT_MASK, Array(of: UInt32(RTEXT_FILTER_SKIP_STATS))),
                Request.Attribute(IFLA_LINKINFO, nested),
            ])
    }

    /// The links that are stacked on one interface, directly or on one another.
    static func stacked(on index: InterfaceIndex, in links: [SavedLink]) -> [SavedLink] {
        guard !links.isEmpty else { return [] }
        var found: [SavedLink] = []
        var scope: Set<Int> = [index.number]
        while true {
            let next = links.filter { link in
                link.lower.map { scope.contains($0.number) } == true && !scope.contains(link.index.number)
            }
            if next.isEmpty { return found }
            found += next
            scope.formUnion(next.map(\.index.number))
        }
    }

    var isAdministrators: Bool { true }
    var indices: [InterfaceIndex] { [index] }
    var request: Request { LinkRequest.administrativeState(up: false, of: index) }

    func order(_ comparison: Comparison) -> Request? {
        comparison.isUp(index) ? request : nil
    }

    func description(_ names: InterfaceNames) -> String { "link \(names[index]) down" }
}
