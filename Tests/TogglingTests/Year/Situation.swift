@testable import Model

/// How a machine uses its Wi-Fi, and how the network behaves. In some situations a link looks healthy or
/// sick, but is not.
enum Situation: String, CaseIterable, Hashable, Sendable {
    case ordinary = "ordinary station"
    /// The active port of a bond, and the only one that works.
    case bondPort = "active port of a bond"
    /// The machine's traffic passes through the bond's other port, a wire.
    case bondBackup = "backup port of a bond"
    case bridgePort = "port of a bridge"
    /// The machine has a wired link, and nobody has configured a network for its radio.
    case spareRadio = "spare radio"
    /// The access point answers ARP requests for all hosts, even for a dead gateway (proxy ARP, IEEE 802.11,
    /// 11.21.14).
    case proxyARP = "behind proxy ARP"
    /// The driver refuses many commands that set the link down or up with EBUSY, for some seconds.
    case busyDevice = "device often busy"

    var port: Port? {
        switch self {
        case .ordinary, .spareRadio, .proxyARP, .busyDevice: nil
        case .bondPort: Sample.port(.bond, .masters)
        case .bondBackup: Sample.port(.bond, .none)
        case .bridgePort: Sample.bridgePort
        }
    }

    /// Whether the machine's packets take a wired link instead.
    var hasWire: Bool { self == .bondBackup || self == .spareRadio }
    var hasNetwork: Bool { self != .spareRadio }

    /// Whether the trouble has an effect in this situation. A curable fault has none on a link without
    /// traffic.
    func notices(_ trouble: Trouble) -> Bool {
        if case .curable = trouble.nature { return !hasWire }
        return hasNetwork || trouble != .otherKey
    }
}
