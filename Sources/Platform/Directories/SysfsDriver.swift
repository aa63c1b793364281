import Model

/// Finds the drivers of network interfaces in sysfs.
public enum SysfsDriver {
    /// The driver and bus of an interface's device; nil if the interface is virtual, or if no driver is bound
    /// to its device.
    /// - Parameter root: the root of the file system, without a slash at its end.
    public static func name(ofInterface interface: String, root: String = "") -> DriverName? {
        guard SysfsClass.isComponent(interface),
            let target = SymbolicLink.target("\(root)/sys/class/net/\(interface)/device/driver")
        else { return nil }
        // The target is .../bus/BUS/drivers/DRIVER.
        let parts = target.split(separator: "/").suffix(4).map(String.init)
        guard parts.count == 4, parts[0] == "bus", parts[2] == "drivers" else { return nil }
        return DriverName(parts[3], on: parts[1])
    }
}
