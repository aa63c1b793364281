@testable import Model
@testable import Toggling

/// Events that can happen to a link: faults, decisions of users, and events of every day.
enum Trouble: String, CaseIterable, Hashable, Sendable {
    // Faults that a bounce cures: the gateway is silent behind a good association, or the address is gone.
    case wedge = "wedge"
    case stubbornWedge = "wedge that takes two bounces"
    case passingWedge = "wedge that passes"
    case lostAddress = "lost address"
    // Faults up to the gateway that no bounce cures.
    case accessPointRestart = "access point restarts"
    case accessPointDead = "access point dead"
    case routerReplaced = "router replaced"
    case gatewayDead = "gateway dead"
    case dhcpDead = "DHCP server dead"
    // Faults beyond the gateway.
    case providerDead = "provider dead"
    case portal = "portal"
    case namesDead = "DNS dead"
    // The link works, but badly.
    case loss = "packet loss"
    case latency = "latency"
    // A user's decision.
    case radioBlocked = "rfkill"
    case setDown = "set down by a user"
    // No fault at all.
    case suspend = "suspend"
    case deauthentication = "thrown out by the access point"
    case roam = "roaming"
    case rekey = "key rotation"
    case scan = "scan"

    enum Nature: Hashable, Sendable {
        /// A fault that this many new associations in a row cure.
        case curable(associations: Int)
        case incurable, beyond, rough, willed, ordinary
    }

    var nature: Nature {
        switch self {
        case .wedge, .passingWedge, .lostAddress: .curable(associations: 1)
        case .stubbornWedge: .curable(associations: 2)
        case .accessPointRestart, .accessPointDead, .routerReplaced, .gatewayDead, .dhcpDead: .incurable
        case .providerDead, .portal, .namesDead: .beyond
        case .loss, .latency: .rough
        case .radioBlocked, .setDown: .willed
        case .suspend, .deauthentication, .roam, .rekey, .scan: .ordinary
        }
    }

    /// Whether there is no link that could wedge while this lasts.
    var breaksLink: Bool {
        switch nature {
        case .curable, .incurable, .willed: true
        case .beyond, .rough: false
        case .ordinary: self == .suspend
        }
    }

    /// Whether there is no access point to associate with while this lasts.
    var silencesAir: Bool {
        switch self {
        case .accessPointRestart, .accessPointDead, .routerReplaced: true
        case .wedge, .stubbornWedge, .passingWedge, .lostAddress, .gatewayDead, .dhcpDead, .providerDead,
            .portal, .namesDead, .loss, .latency, .radioBlocked, .setDown, .suspend, .deauthentication, .roam,
            .rekey, .scan:
            false
        }
    }
}

/// One fault from its beginning to its end.
struct Spell: Hashable, Sendable {
    var trouble: Trouble
    var start: Instant
    /// When the trouble ends by itself, or a user ends it.
    var end: Instant
    /// How bad the trouble is: a random number, uniform over 0 ..< 1.
    var severity: Double
}
