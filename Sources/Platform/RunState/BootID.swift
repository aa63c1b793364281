import Glibc

/// Identifies the boot and the network namespace. Numbers of the kernel, such as an interface index, are
/// valid only in one boot and one namespace.
public enum BootID {
    /// The identifier of this boot (random(4), boot_id); nil if /proc does not show it.
    public static let boot = SmallFile.line("/proc/sys/kernel/random/boot_id")

    /// The network namespace of this process, as "device:inode" (namespaces(7)); nil if /proc does not show
    /// it.
    public static var networkNamespace: String? {
        var status = stat()
        guard stat("/proc/self/ns/net", &status) == 0 else { return nil }
        return "\(status.st_dev):\(status.st_ino)"
    }
}
