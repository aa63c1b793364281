import Model
import Netlink
import Platform
import Reporting
import Service

/// Switches power saving off, and logs that once per interface.
final class PowerSaveSwitch {
    private let netlink: NetlinkCommands
    private let console: Console
    private var logs: [Int: PowerSaveLog] = [:]

    init(_ netlink: NetlinkCommands, _ console: Console) {
        self.netlink = netlink
        self.console = console
    }

    func switchOff(_ interfaceRef: InterfaceRef, isDryRun: Bool) {
        netlink.switchPowerSaveOff(on: interfaceRef.index, isDryRun: isDryRun) { [self] result in
            let now = Instant(nanoseconds: BootClock.now())
            let name = interfaceRef.name
            guard
                let line = logs[interfaceRef.id, default: PowerSaveLog()].line(
                    for: result, isDryRun: isDryRun, at: now)
            else { return }
            console.note(line.level, "\(name): \(line.text)", about: name)
        }
    }
}
