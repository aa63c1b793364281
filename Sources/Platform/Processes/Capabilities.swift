import CLinux

/// What the kernel lets this process do (capabilities(7)).
public enum Capabilities {
    /// From now on this process can change networks and nothing else that takes a privilege, nor win one
    /// back by executing a program (capset(2), PR_SET_NO_NEW_PRIVS). What the kernel refuses of this, because
    /// there is nothing to give up, stays as it is.
    public static func keepNetworkAdministrationAlone() {
        var header = Self.header
        var sets = noSets
        sets[0].effective = 1 << UInt32(CAP_NET_ADMIN)
        sets[0].permitted = sets[0].effective
        // Nobody can be left with what he has not.
        guard capset(&header, &sets) == 0 || includeNetworkAdministration else { return }
        _ = set_no_new_privileges()
    }

    /// Nothing that this process starts has a capability from it, whoever it is (PR_CAP_AMBIENT_CLEAR_ALL). A service
    /// that is not root has its own from its manager in that way (AmbientCapabilities= of systemd.exec(5)).
    public static func keepToOurselves() {
        // What is ambient is inheritable, too (capabilities(7)); most processes have nothing of either.
        if let held, held.allSatisfy({ $0.inheritable == 0 }) { return }
        _ = clear_ambient_capabilities()
    }

    /// Whether this process can run a program as any other user, and end it again (CAP_SETUID, CAP_SETGID,
    /// CAP_KILL).
    public static var includeChangingUsers: Bool {
        effective.map { set in
            [CAP_SETUID, CAP_SETGID, CAP_KILL].allSatisfy { set >> UInt32($0) & 1 == 1 }
        } ?? false
    }

    /// Version 3 has 64 capabilities, in two structures.
    private static let noSets = [__user_cap_data_struct](repeating: __user_cap_data_struct(), count: 2)
    private static var header: __user_cap_header_struct {
        __user_cap_header_struct(version: UInt32(_LINUX_CAPABILITY_VERSION_3), pid: 0)
    }

    /// Whether the effective set of this thread holds CAP_NET_ADMIN, in whatever user namespace the process
    /// is. Where the kernel does not tell, true: then it will say itself what it refuses.
    public static var includeNetworkAdministration: Bool {
        effective.map { $0 >> UInt32(CAP_NET_ADMIN) & 1 == 1 } ?? true
    }

    /// The same of CAP_NET_RAW.
    public static var includeRawSockets: Bool {
        effective.map { $0 >> UInt32(CAP_NET_RAW) & 1 == 1 } ?? true
    }

    /// The lower half of the effective set; nil: the kernel does not tell.
    private static var effective: UInt32? { held?[0].effective }

    /// What this process holds (capget(2)), asked once: none but a guard gives any of it up, and that does not ask
    /// afterwards. nil: the kernel does not tell.
    private static let held: [__user_cap_data_struct]? = {
        var header = Self.header
        var sets = noSets
        return capget(&header, &sets) == 0 ? sets : nil
    }()
}
