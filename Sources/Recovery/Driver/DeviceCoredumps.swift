import Platform

/// The records that drivers have made of crashes of their devices (devcoredump, linux/devcoredump.h). The
/// kernel removes a record after five minutes.
struct DeviceCoredumps {
    /// The most records that are looked at. The kernel keeps at most one for each device.
    private static let most = 64
    private static let prefix = "devcd"
    /// The most digits of the number in a name.
    private static let mostDigits = 10

    let sysfs: String

    /// The names of the records of an interface's device, such as `devcd3`. The kernel uses no name twice. Empty if
    /// there is none, or if the interface has no device.
    func names(of interface: String) -> Set<String> {
        let directory = "\(sysfs)/class/devcoredump"
        let all = DirectoryListing.of(directory, atMost: Self.most).filter(Self.isName)
        guard !all.isEmpty, SysfsClass.isComponent(interface),
            let device = SysfsFile.realPath("\(sysfs)/class/net/\(interface)/device")
        else { return [] }
        return Set(all.filter { SysfsFile.realPath("\(directory)/\($0)/failing_device") == device })
    }

    private static func isName(_ name: String) -> Bool {
        let digits = name.utf8.dropFirst(prefix.utf8.count)
        return name.hasPrefix(prefix) && (1...mostDigits).contains(digits.count)
            && digits.allSatisfy { (0x30...0x39).contains($0) }
    }
}
