@testable import Model

/// What a machine uses its Wi-Fi for, and how the network behaves: some make a link look healthy or sick that is not.
enum Situation: String, CaseIterable, Hashable, Sendable {
    case ordinary = "ordinary station"
    /// The active port of a bond, and the only one that works.
    case bondPort = "active port of a bond"
    /// The machine's traffic passes through the bond's other port, a wire.
    case bondBackup = "backup port of a bond"
    case bridgePort = "port of a bridge"
    /// The machine has a wire, and nobody has configured a network for its radio.
    case spareRadio = "spare radio"
    /// The access point answers ARP requests for all hosts, so also for a gateway that is dead (proxy ARP, IEEE 802.11,
    /// 11.21.14).
    case proxyARP = "behind proxy ARP"

    var port: Port? {
        switch self {
        case .ordinary, .spareRadio, .proxyARP: nil
        case .bondPort: Sample.port(.bond, .masters)
        case .bondBackup: Sample.port(.bond, .none)
        case .bridgePort: Sample.bridgePort
        }
    }

    /// The machine's packets do not need this link.
    var hasWire: Bool { self == .bondBackup || self == .spareRadio }
    var hasNetwork: Bool { self != .spareRadio }

    /// Whether it matters to anyone: of a port without traffic only the association can be judged.
    func notices(_ trouble: Trouble) -> Bool {
        if case .curable = trouble.nature { !hasWire } else { true }
    }
}
