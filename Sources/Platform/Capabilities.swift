import CLinux

/// What the kernel lets this process do (capabilities(7)).
public enum Capabilities {
    /// From now on this process can change networks and nothing else that takes a privilege, nor win one
    /// back by executing a program (capset(2), PR_SET_NO_NEW_PRIVS). What the kernel refuses of this, because
    /// there is nothing to give up, stays as it is.
    public static func keepNetworkAdministrationAlone() {
        guard includeNetworkAdministration else { return }
        var header = header
        var sets = [__user_cap_data_struct](repeating: __user_cap_data_struct(), count: setCount)
        sets[0].effective = 1 << UInt32(CAP_NET_ADMIN)
        sets[0].permitted = sets[0].effective
        _ = capset(&header, &sets)
        _ = set_no_new_privileges()
    }

    /// Version 3 has 64 capabilities, in two structures.
    private static let setCount = 2
    private static var header: __user_cap_header_struct {
        __user_cap_header_struct(version: UInt32(_LINUX_CAPABILITY_VERSION_3), pid: 0)
    }

    /// Whether the effective set of this thread holds CAP_NET_ADMIN, in whatever user namespace the process
    /// is. Where the kernel does not tell, true: then it will say itself what it refuses.
    public static var includeNetworkAdministration: Bool {
        var header = header
        var sets = [__user_cap_data_struct](repeating: __user_cap_data_struct(), count: setCount)
        guard capget(&header, &sets) == 0 else { return true }
        return sets[0].effective >> UInt32(CAP_NET_ADMIN) & 1 == 1
    }
}
