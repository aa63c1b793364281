import CNetlink
import Model

/// A VLAN interface stacked on the bounced link. Of all stacked interfaces, only VLANs go down with their
/// lower link, including VLANs on top of VLANs (vlan_device_event() in the kernel). When the link is raised,
/// the kernel raises its VLANs, too, even those that an administrator had set down.
struct SavedLink: SavedState {
    static let kind = Snapshot.Item.Kind.link

    let index: InterfaceIndex
    let name: String
    /// The lower link (IFLA_LINK); nil if it is in another network namespace or not reported, or if this is
    /// no VLAN.
    let lower: InterfaceIndex?
    let isUp: Bool

    /// Returns nil if this is not an interface.
    init?(_ payload: Bytes) {
        guard let header = payload.structure(ifinfomsg.self), header.ifi_index > 0,
            Int32(header.ifi_family) == AF_UNSPEC
        else { return nil }
        let attributes = Attributes(payload.following(ifinfomsg.self))
        index = InterfaceIndex(rawValue: header.ifi_index)
        name = attributes[IFLA_IFNAME]?.text ?? ""
        isUp = header.ifi_flags & IFF_UP.rawValue != 0
        lower = LinkMessage.lower(of: attributes)
    }

    /// The kind of VLANs (IFLA_INFO_KIND).
    static let vlan = "vlan"

    /// Requests all VLANs, without their counters. A kernel without VLAN support sends all interfaces.
    static var requestAll: Request {
        let kind = Request.Attribute(IFLA_INFO_KIND, Array(vlan.utf8) + [0])
        return Request(
            RTM_GETLINK, flags: NLM_F_DUMP, header: ifinfomsg(),
            attributes: [
                Request.Attribute(IFLA_EXT_MASK, Array(of: UInt32(RTEXT_FILTER_SKIP_STATS))),
                Request.Attribute(IFLA_LINKINFO, kind.bytes),
            ])
    }

    /// The links that are stacked on an interface, directly or on top of each other.
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
