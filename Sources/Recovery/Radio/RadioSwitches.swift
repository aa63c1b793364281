import Glibc
import Model
import Platform

/// The state of the rfkill switches of Wi-Fi radios, from /dev/rfkill and sysfs (rfkill(8)). Without
/// /dev/rfkill, there are no switches.
@MainActor public final class RadioSwitches {
    private struct Switch: Equatable {
        var phy: UInt32?
        var block: RadioBlock
    }

    /// A change of the switches of a radio.
    public struct Change: Equatable, Sendable {
        /// The number of the radio, N in phyN.
        public var phy: UInt32
        /// The combined state of all switches of this radio.
        public var block: RadioBlock
    }

    private var descriptor: Int32?
    private var source: EventSource?
    private var switches: [UInt32: Switch] = [:]
    private let sysfs: String
    private let onChange: (@MainActor ([Change]) -> Void)?

    /// Opens /dev/rfkill.
    /// - Parameter onChange: called with all changes in order, even if a block has already ended again. If it
    ///   is nil, the device is not watched, and each query reads the new events.
    /// - Throws: the device exists, but cannot be opened.
    public init(
        device: String = "/dev/rfkill", sysfs: String = "/sys/class/rfkill",
        onChange: (@MainActor ([Change]) -> Void)? = nil
    ) throws(SystemError) {
        self.sysfs = sysfs
        self.onChange = onChange
        do {
            descriptor = try check("open") { open(device, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
        } catch {
            guard [ENOENT, ENODEV, ENXIO].contains(error.code) else { throw error }
            return
        }
        _ = readEvents()
        if onChange != nil, let descriptor {
            source = .reading(descriptor, owning: true) { [weak self] in self?.readable() }
        }
    }

    isolated deinit { end() }

    /// Whether all changes are reported.
    public var isWatching: Bool { source != nil }

    /// The present block of a radio, whose number is N in phyN; `none` if it has no switch.
    public func block(ofPhy phy: UInt32) -> RadioBlock {
        let changes = readEvents()
        // This query has taken the events from the source, so report them here.
        if !changes.isEmpty, let onChange { EventLoop.soon { onChange(changes) } }
        return known(phy)
    }

    private func known(_ phy: UInt32) -> RadioBlock {
        let blocks = switches.values.filter { $0.phy == phy }.map(\.block)
        return blocks.contains(.hard) ? .hard : blocks.contains(.soft) ? .soft : .none
    }

    private func readable() {
        let changes = readEvents()
        if !changes.isEmpty { onChange?(changes) }
    }

    /// Reads all pending events. When the device is opened, the kernel sends one event for each switch.
    private func readEvents() -> [Change] {
        var changes: [Change] = []
        var bytes = [UInt8](repeating: 0, count: RadioEvent.size)
        while let descriptor {
            let count = read(descriptor, &bytes, bytes.count)
            if count == -1, errno == EINTR { continue }
            if count == -1, errno == EAGAIN { break }
            guard count > 0 else {
                end()
                break
            }
            guard let event = RadioEvent(bytes.prefix(count)), event.isWLAN else { continue }
            let before = switches[event.index]
            apply(event)
            let after = switches[event.index]
            guard before != after, let phy = after?.phy ?? before?.phy else { continue }
            changes.append(Change(phy: phy, block: known(phy)))
        }
        return changes
    }

    private func apply(_ event: RadioEvent) {
        switch event.operation {
        case .removed: switches[event.index] = nil
        case .added, .changed:
            let block: RadioBlock = event.isHardBlocked ? .hard : event.isSoftBlocked ? .soft : .none
            let phy = switches[event.index]?.phy ?? RadioSwitch.phy(ofSwitch: event.index, in: sysfs)
            switches[event.index] = Switch(phy: phy, block: block)
        }
    }

    private func end() {
        if let source { source.cancel() } else if let descriptor { close(descriptor) }
        source = nil
        descriptor = nil
    }
}
