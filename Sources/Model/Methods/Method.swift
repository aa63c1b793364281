/// A method to recover a sick link. The cases are in order from the gentlest; the raw value is the method's
/// name in options and records.
public enum Method: String, Codable, Hashable, Sendable, CaseIterable, Comparable {
    /// wpa_supplicant associates anew, on a request through its control socket; addresses and routes stay.
    case reassociate
    /// The owner makes the whole connection anew, on a request through its public interface
    /// (``OwnerRequest``).
    case owner
    /// The system service of an owner is restarted.
    case restartOwner = "restart-owner"
    /// The link is lowered, kept down and raised.
    case bounce
    /// The radio is blocked by its software switch and unblocked, and the link is raised, because an unblock
    /// alone may leave it down.
    case rfkill
    /// The driver is unbound from its device and bound again: the interface disappears and comes back with
    /// another index.
    case rebind
    /// The device is reset on its bus: it disappears with the interface, which comes back with another index.
    case reset
    /// The administrator's own program is run (`hook:PATH`).
    case hook
    /// The machine is rebooted, by the service only, and only after all other methods have failed.
    case reboot

    /// Whether the method takes the link down, so that a guard has to ensure that it comes up again.
    public var takesLinkDown: Bool {
        switch self {
        case .bounce, .rfkill, .rebind, .reset: true
        case .reassociate, .owner, .restartOwner, .hook, .reboot: false
        }
    }

    /// Whether the method makes the interface disappear and come back with another index.
    public var takesInterfaceAway: Bool {
        switch self {
        case .rebind, .reset: true
        case .reassociate, .owner, .restartOwner, .bounce, .rfkill, .hook, .reboot: false
        }
    }

    /// Whether the method may make the interface disappear for a while: a hook can load its driver anew, and iwd
    /// makes a new interface when it starts.
    public var mayReplaceInterface: Bool {
        switch self {
        case .restartOwner, .hook: true
        case .reassociate, .owner, .bounce, .rfkill, .rebind, .reset, .reboot: false
        }
    }

    /// Whether the interface may disappear because of the method, surely or perhaps.
    public var mayRemoveInterface: Bool { takesInterfaceAway || mayReplaceInterface }

    /// Whether the method may destroy routes and addresses, so that they have to be recorded before it and
    /// restored after it.
    public var mayCostRoutes: Bool {
        switch self {
        case .owner, .restartOwner, .bounce, .rfkill, .rebind, .reset: true
        case .reassociate, .hook, .reboot: false
        }
    }

    /// Whether `one` is the gentler method.
    public static func < (one: Method, other: Method) -> Bool { one.rank < other.rank }

    private var rank: Int {
        switch self {
        case .reassociate: 0
        case .owner: 1
        case .restartOwner: 2
        case .bounce: 3
        case .rfkill: 4
        case .rebind: 5
        case .reset: 6
        case .hook: 7
        case .reboot: 8
        }
    }
}
