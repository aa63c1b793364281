/// Asks iwd which devices it has, by busctl(1) on the system bus (net.connman.iwd.Device).
///
/// iwd makes one interface for each radio when it starts or when a radio appears, and lists it as a device until the
/// kernel removes it, also while the link is down, blocked, or disconnected by a user. An interface that another
/// program makes instead is never listed. So if iwd lists no device at all, it serves no link, and only a restart
/// makes it take the interfaces that the kernel has. If it lists any other device, the interface may be one that iwd
/// leaves alone for a good reason.
package enum IwdDevices {
    private static let name = "net.connman.iwd"

    /// The arguments for busctl(1) that query all of iwd's objects.
    package static let question = [
        "--system", "--auto-start=no", "call", name, "/", "org.freedesktop.DBus.ObjectManager",
        "GetManagedObjects",
    ]

    /// Whether iwd lists no device. An answer without iwd's AgentManager, which iwd always has, is not
    /// complete. Such an answer shows nothing, nor does a malformed one.
    package static func areLost(_ answer: [UInt8]) -> Bool {
        guard let interfaces = BusAnswer.interfaces(answer) else { return false }
        return interfaces.contains("\(name).AgentManager") && !interfaces.contains("\(name).Device")
    }
}
