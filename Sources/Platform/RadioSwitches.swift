import Glibc

/// The rfkill switches of the Wi-Fi radios, as /dev/rfkill and sysfs know them (rfkill(8)). A machine without
/// /dev/rfkill has none.
@MainActor public final class RadioSwitches {
    /// Whether a radio is kept silent.
    public enum Block: Equatable, Sendable {
        case none
        /// By software: `rfkill unblock` lifts it.
        case soft
        /// By a switch on the machine, soft-blocked as well or not.
        case hard
    }

    private struct Switch: Equatable {
        var phy: UInt32?
        var block: Block
    }

    private var descriptor: Int32?
    private var source: MainQueueSource?
    private var switches: [UInt32: Switch] = [:]
    private let sysfs: String
    private let onChange: (@MainActor () -> Void)?

    /// `onChange` runs after a switch changed, came or went; without it nothing is watched, and each question
    /// reads what is new.
    /// - Throws: the device is there and cannot be opened.
    public init(
        device: String = "/dev/rfkill", sysfs: String = "/sys/class/rfkill",
        onChange: (@MainActor () -> Void)? = nil
    ) throws(SystemError) {
        self.sysfs = sysfs
        self.onChange = onChange
        do {
            descriptor = try check("open") { open(device, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
        } catch {
            guard [ENOENT, ENODEV, ENXIO].contains(error.code) else { throw error }
            return
        }
        readEvents()
        if onChange != nil, let descriptor {
            source = .reading(descriptor, owning: true) { [weak self] in self?.readable() }
        }
    }

    isolated deinit { end() }

    /// The block of a radio (its number N in phyN), as it is now; none where it has no switch.
    public func block(ofPhy phy: UInt32) -> Block {
        let before = switches
        readEvents()
        // What this question has read, the source will not find any more.
        if switches != before, let onChange { EventLoop.soon(onChange) }
        let blocks = switches.values.filter { $0.phy == phy }.map(\.block)
        return blocks.contains(.hard) ? .hard : blocks.contains(.soft) ? .soft : .none
    }

    private func readable() {
        let before = switches
        readEvents()
        if switches != before { onChange?() }
    }

    /// Reads all events that are there; on opening, the kernel gives one for each switch.
    private func readEvents() {
        var bytes = [UInt8](repeating: 0, count: RadioEvent.size)
        while let descriptor {
            let count = read(descriptor, &bytes, bytes.count)
            if count == -1, errno == EINTR { continue }
            if count == -1, errno == EAGAIN { return }
            guard count > 0 else { return end() }
            if let event = RadioEvent(bytes.prefix(count)) { apply(event) }
        }
    }

    private func apply(_ event: RadioEvent) {
        guard event.isWLAN else { return }
        switch event.operation {
        case .removed: switches[event.index] = nil
        case .added, .changed:
            let block: Block = event.isHardBlocked ? .hard : event.isSoftBlocked ? .soft : .none
            let phy = switches[event.index]?.phy ?? phy(ofSwitch: event.index)
            switches[event.index] = Switch(phy: phy, block: block)
        }
    }

    /// The radio that a switch belongs to: the number of its device, else the N of its name `phyN`.
    private func phy(ofSwitch index: UInt32) -> UInt32? {
        let folder = sysfs + "/rfkill\(index)"
        if let number = SmallFile.line(folder + "/device/index").flatMap({ UInt32($0) }) { return number }
        guard let name = SmallFile.line(folder + "/name"), name.hasPrefix("phy") else { return nil }
        return UInt32(name.dropFirst(3))
    }

    private func end() {
        if let source { source.cancel() } else if let descriptor { close(descriptor) }
        source = nil
        descriptor = nil
    }
}
