import Model
import Netlink
import Platform
import Reporting
import Service

/// Keeps power saving off where the settings or the driver files say so, and logs what is news
/// (``PowerSaveLog``).
final class PowerSaveSwitch {
    private let netlink: NetlinkCommands
    private let console: Console
    private var logs: [Int: PowerSaveLog] = [:]

    init(_ netlink: NetlinkCommands, _ console: Console) {
        self.netlink = netlink
        self.console = console
    }

    /// The driver is read anew each time: the same interface can get another one.
    func keepOff(
        _ interfaceRef: InterfaceRef, _ powerSave: PowerSave, _ drivers: DriverTable, isDryRun: Bool
    ) {
        let driver = SysfsDriver.name(ofInterface: interfaceRef.name)
        guard let reason = drivers.reason(for: powerSave, with: driver) else { return }
        netlink.switchPowerSaveOff(on: interfaceRef.index, isDryRun: isDryRun) { [self] result in
            let name = interfaceRef.name
            guard
                let line = logs[interfaceRef.id, default: PowerSaveLog()].line(
                    for: result, because: reason, isDryRun: isDryRun, at: .now)
            else { return }
            console.note(line.level, "\(name): \(line.text)", about: name)
        }
    }
}
