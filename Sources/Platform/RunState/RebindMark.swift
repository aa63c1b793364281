/// That a driver was taken off its device in this boot: `DIRECTORY/BUS.DEVICE.rebound`, one line, the boot (random(4),
/// boot_id). It is written before that is done, so that a machine that does not survive it is not tried again and
/// again.
public struct RebindMark: Sendable {
    private let file: StateFile
    private let boot: String

    /// - Parameter directory: as that of the locks and records.
    public init(_ binding: DriverBinding, directory: String) {
        self.init(binding, directory: directory, boot: BootID.boot)
    }

    init(_ binding: DriverBinding, directory: String, boot: String?) {
        file = StateFile("\(binding.bus).\(binding.device).rebound", in: directory)
        // Where /proc does not tell the boot, a mark holds until somebody removes it.
        self.boot = boot ?? "unknown"
    }

    /// - Throws: whether it is there cannot be known.
    public func isSet() throws(SystemError) -> Bool {
        guard let bytes = try file.read() else { return false }
        return bytes == line
    }

    /// - Throws: it cannot be written: then nothing may be done that it stands for.
    public func set() throws(SystemError) { try file.write(line) }

    private var line: [UInt8] { Array("\(boot)\n".utf8) }
}
