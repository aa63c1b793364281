import CLinux

/// The privileges of this process (capabilities(7)).
public enum Capabilities {
    /// Gives up all privileges except CAP_NET_ADMIN, for ever: the process cannot gain a privilege even by
    /// executing a program (capset(2), PR_SET_NO_NEW_PRIVS). A process without CAP_NET_ADMIN stays as it is:
    /// capset(2) fails there.
    public static func keepNetworkAdministrationAlone() {
        var header = Self.header
        var sets = noSets
        sets[0].effective = 1 << UInt32(CAP_NET_ADMIN)
        sets[0].permitted = sets[0].effective
        // A process cannot keep a capability that it does not have, so capset(2) may fail.
        guard capset(&header, &sets) == 0 || includeNetworkAdministration else { return }
        _ = set_no_new_privileges()
    }

    /// Makes sure that child processes that do not run as root inherit no capability
    /// (PR_CAP_AMBIENT_CLEAR_ALL). A service that is not root has got its own capabilities by inheritance
    /// (AmbientCapabilities= of systemd.exec(5)).
    public static func keepToOurselves() {
        // An ambient capability is always inheritable, too (capabilities(7)). Most processes have neither
        // kind.
        if let held, held.allSatisfy({ $0.inheritable == 0 }) { return }
        _ = clear_ambient_capabilities()
    }

    /// Whether this process can run a program as any user, and kill it (CAP_SETUID, CAP_SETGID, CAP_KILL).
    public static var includeChangingUsers: Bool {
        effective.map { set in
            [CAP_SETUID, CAP_SETGID, CAP_KILL].allSatisfy { set >> UInt32($0) & 1 == 1 }
        } ?? false
    }

    /// Empty sets. Version 3 of the interface has 64 capabilities, in two structures.
    private static let noSets = [__user_cap_data_struct](repeating: __user_cap_data_struct(), count: 2)
    private static var header: __user_cap_header_struct {
        __user_cap_header_struct(version: UInt32(_LINUX_CAPABILITY_VERSION_3), pid: 0)
    }

    /// Whether the effective set has CAP_NET_ADMIN, in the user namespace of the process. True if the kernel
    /// does not report it: the kernel will then refuse what is not allowed.
    public static var includeNetworkAdministration: Bool {
        effective.map { $0 >> UInt32(CAP_NET_ADMIN) & 1 == 1 } ?? true
    }

    /// The same for CAP_NET_RAW.
    public static var includeRawSockets: Bool {
        effective.map { $0 >> UInt32(CAP_NET_RAW) & 1 == 1 } ?? true
    }

    /// The lower half of the effective set; nil if the kernel does not report it.
    private static var effective: UInt32? { held?[0].effective }

    /// The capabilities of this process (capget(2)); nil if the kernel does not report them. They are read
    /// only once: only a guard gives up capabilities, and it does not read them afterwards.
    private static let held: [__user_cap_data_struct]? = {
        var header = Self.header
        var sets = noSets
        return capget(&header, &sets) == 0 ? sets : nil
    }()
}
