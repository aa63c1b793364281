@testable import Model
@testable import Toggling

/// Events that can happen to a link: faults, decisions of users, and events of every day.
enum Trouble: String, CaseIterable, Hashable, Sendable {
    // Faults that a bounce cures: the gateway is silent behind a good association, or the address is gone.
    case wedge = "wedge"
    case stubbornWedge = "wedge that takes two bounces"
    case passingWedge = "wedge that passes"
    case lostAddress = "lost address"
    // Faults that another method cures. A bounce cures only `invalidKey`, after a while.
    case gaveUp = "NetworkManager has given up"
    case invalidKey = "ConnMan has given up"
    case ownerHung = "owner hung"
    case ownerDead = "owner dead"
    case clientHung = "DHCP client hung"
    case clientDead = "DHCP client dead"
    case resolverHung = "systemd-resolved hung"
    case radioRefuses = "radio refuses"
    case firmwareCrashed = "firmware crashed"
    case linkClosed = "link closed by the kernel"
    case interfaceLost = "interface lost by its device"
    // Faults up to the gateway that no method cures; a reboot ends some of `deviceDead`.
    case accessPointRestart = "access point restarts"
    case accessPointDead = "access point dead"
    case routerReplaced = "router replaced"
    case gatewayDead = "gateway dead"
    case dhcpDead = "DHCP server dead"
    /// The owner gives up, and does not try again when the network has the old key back.
    case otherKey = "network with another key"
    case deviceDead = "device dead until its power is cut"
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
    case toldToDisconnect = "disconnected by a user"
    case unplugged = "unplugged"
    // No fault at all.
    case suspend = "suspend"
    case deauthentication = "thrown out by the access point"
    case roam = "roaming"
    case rekey = "key rotation"
    case scan = "scan"

    enum Nature: Hashable, Sendable {
        case curable(by: Cure)
        case incurable, beyond, rough, willed, ordinary
    }

    enum Cure: Hashable, Sendable {
        /// This many new associations in a row cure the fault.
        case associations(Int)
        case method(Model.Method)
        /// A request to the owner cures the fault at once, and a bounce after a while.
        case requestOrBounce
    }

    var nature: Nature {
        switch self {
        case .wedge, .passingWedge, .lostAddress: .curable(by: .associations(1))
        case .stubbornWedge: .curable(by: .associations(2))
        case .gaveUp: .curable(by: .method(.owner))
        case .invalidKey: .curable(by: .requestOrBounce)
        case .ownerHung, .ownerDead, .clientHung, .clientDead, .resolverHung:
            .curable(by: .method(.restartOwner))
        case .radioRefuses, .firmwareCrashed, .linkClosed, .interfaceLost: .curable(by: .method(.reset))
        case .accessPointRestart, .accessPointDead, .routerReplaced, .gatewayDead, .dhcpDead, .otherKey,
            .deviceDead:
            .incurable
        case .providerDead, .portal, .namesDead: .beyond
        case .loss, .latency: .rough
        case .radioBlocked, .setDown, .toldToDisconnect, .unplugged: .willed
        case .suspend, .deauthentication, .roam, .rekey, .scan: .ordinary
        }
    }

    /// Whether there is no link that could wedge while this lasts.
    var breaksLink: Bool {
        switch nature {
        case .curable: self != .resolverHung
        case .incurable, .willed: true
        case .beyond, .rough: false
        case .ordinary: self == .suspend
        }
    }

    /// Whether it ends all curable faults.
    var overtakesFaults: Bool {
        switch nature {
        case .incurable, .willed: true
        case .curable, .beyond, .rough, .ordinary: self == .suspend
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
        case .gaveUp, .invalidKey, .ownerHung, .ownerDead, .clientHung, .clientDead, .resolverHung,
            .radioRefuses, .firmwareCrashed, .linkClosed, .interfaceLost, .otherKey, .deviceDead,
            .toldToDisconnect, .unplugged:
            false
        }
    }

    /// The station stays without an association.
    var keepsApart: Bool {
        switch self {
        case .gaveUp, .invalidKey, .ownerHung, .ownerDead, .radioRefuses, .firmwareCrashed, .linkClosed,
            .interfaceLost, .otherKey, .deviceDead, .toldToDisconnect, .unplugged:
            true
        default: false
        }
    }

    /// The link has lost its address, and gets none.
    var takesAddress: Bool { [.lostAddress, .clientHung, .clientDead].contains(self) }

    /// The association is as before, and no packet comes back.
    var mutesGateway: Bool { [.wedge, .stubbornWedge, .passingWedge].contains(self) }

    /// The condition of the owner that is at fault; nil: no owner is.
    var ownerCondition: OwnerCondition? {
        switch self {
        case .gaveUp, .otherKey: OwnerCondition(.networkManager, .gaveUp)
        case .invalidKey: OwnerCondition(.connman, .gaveUp)
        case .ownerHung: OwnerCondition(.supplicant, .hung)
        case .ownerDead: OwnerCondition(.supplicant, .dead)
        case .clientHung: OwnerCondition(.dhcpcd, .hung)
        case .clientDead: OwnerCondition(.dhclient, .dead)
        case .toldToDisconnect: OwnerCondition(.networkManager, .toldToDisconnect)
        default: nil
        }
    }

    var radioCondition: RadioCondition? {
        switch self {
        case .radioRefuses, .deviceDead: .refusesScans(.timedOut)
        case .firmwareCrashed: .crashed
        case .linkClosed: .closed
        default: nil
        }
    }
}

/// One occurrence of a trouble, from its beginning to its end.
struct Spell: Hashable, Sendable {
    var trouble: Trouble
    var start: Instant
    /// When the trouble ends by itself, or a user ends it.
    var end: Instant
    /// How bad the trouble is: a random number, uniform over 0 ..< 1.
    var severity: Double

    /// Whether a reboot ends it: of eleven such devices, six worked after a reboot (`Habit`).
    var endsWithReboot: Bool { trouble == .deviceDead && severity < 6.0 / 11 }
}

extension Trouble.Cure {
    func isBy(_ method: Model.Method) -> Bool {
        // A reboot starts everything anew: the device, its driver and all programs.
        if method == .reboot { return true }
        return switch self {
        case .associations: method.takesLinkDown
        case .method(let cure): cure == method
        case .requestOrBounce: method == .owner || method.takesLinkDown
        }
    }
}
