import Glibc

/// What makes a number of the kernel's, such as an interface index, mean the same thing to two processes.
public enum BootID {
    /// The identifier that the kernel gave this boot (random(4), boot_id); nil where /proc does not tell.
    public static let boot = SmallFile.line("/proc/sys/kernel/random/boot_id")

    /// The network namespace of this process as "device:inode" (namespaces(7)); nil where /proc does not tell.
    public static var networkNamespace: String? {
        var status = stat()
        guard stat("/proc/self/ns/net", &status) == 0 else { return nil }
        return "\(status.st_dev):\(status.st_ino)"
    }
}
