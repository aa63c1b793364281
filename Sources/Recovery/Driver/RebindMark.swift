import Platform

/// Records that a driver was unbound from its device during this boot. The file
/// `DIRECTORY/BUS.DEVICE.rebound` has one line, the boot ID (random(4), boot_id). The file is written before
/// unbinding, so that the driver is not unbound again in this boot, even if the program dies in between.
public struct RebindMark: Sendable {
    private let file: StateFile
    private let boot: String

    /// - Parameter directory: the directory of the locks and records.
    public init(_ binding: DriverBinding, directory: String) {
        self.init(binding, directory: directory, boot: BootID.boot)
    }

    init(_ binding: DriverBinding, directory: String, boot: String?) {
        file = StateFile("\(binding.bus).\(binding.device).rebound", in: directory)
        // If /proc does not show the boot ID, a mark stays valid until it is removed.
        self.boot = boot ?? "unknown"
    }

    /// Whether the driver was unbound during this boot.
    /// - Throws: the error of reading the file.
    public func isSet() throws(SystemError) -> Bool {
        guard let bytes = try file.read() else { return false }
        return bytes == line
    }

    /// Records that the driver is about to be unbound. If this fails, the driver must not be unbound.
    /// - Throws: the error of writing the file.
    public func set() throws(SystemError) { try file.write(line) }

    private var line: [UInt8] { Array("\(boot)\n".utf8) }
}
