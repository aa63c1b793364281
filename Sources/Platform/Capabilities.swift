import CLinux

/// What the kernel lets this process do (capabilities(7)).
public enum Capabilities {
    /// Whether the effective set of this thread holds CAP_NET_ADMIN, in whatever user namespace the process
    /// is. Where the kernel does not tell, true: then it will say itself what it refuses.
    public static var includeNetworkAdministration: Bool {
        var header = __user_cap_header_struct(version: UInt32(_LINUX_CAPABILITY_VERSION_3), pid: 0)
        // Version 3 has 64 capabilities, in two structures.
        var sets = [__user_cap_data_struct](repeating: __user_cap_data_struct(), count: 2)
        guard capget(&header, &sets) == 0 else { return true }
        return sets[0].effective >> UInt32(CAP_NET_ADMIN) & 1 == 1
    }
}
