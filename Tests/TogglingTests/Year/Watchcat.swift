@testable import Model
@testable import Toggling

/// OpenWrt's watchcat in its mode `restart_iface`, as the loop in watchcat.sh (openwrt/packages,
/// utils/watchcat/files) works. The defaults are those of watchcat.init: `period` 120 s, `pinghosts` 8.8.8.8,
/// `pingperiod` 60 s. The package's configuration file has `period` 6h instead, and the mode `ping_reboot`,
/// which restarts the machine in cases where this mode sets the link down and up.
struct Watchcat: Resident {
    /// How long `ping -c 1` without -W waits, both in iputils and in BusyBox.
    private static let pingTimeout: Duration = .seconds(10)
    private static let pingPeriod: Duration = .seconds(60)
    /// `ip link set down`, then `ip link set up` at once: two processes and two calls.
    private static let downTime: Duration = .milliseconds(200)

    private let period: Duration
    private(set) var next = Life.beginning
    private var step = Step.sleeping
    /// Times from /proc/uptime, in whole seconds; they include time in suspend.
    private var lastCheck = Life.beginning
    private var lastSuccess = Life.beginning

    private enum Step {
        case sleeping
        case pinging(isAnswered: Bool)
        case holding
    }

    init(period: Duration = .seconds(120)) { self.period = period }

    mutating func act(_ machine: inout Machine) {
        switch step {
        case .sleeping:
            lastCheck = Self.uptime(machine.now)
            let answer = machine.network.ping.flatMap { $0 < Self.pingTimeout ? $0 : nil }
            step = .pinging(isAnswered: answer != nil)
            // Without a route, ping fails at once.
            let interface = machine.station.interface
            let fails: Duration = interface.isAssociated && interface.hasAddress ? Self.pingTimeout : .zero
            next = machine.now + (answer ?? fails)
        case .pinging(let isAnswered):
            if isAnswered { lastSuccess = lastCheck }
            guard lastCheck - lastSuccess >= period else { return sleep(machine.now) }
            lastSuccess = lastCheck
            _ = machine.lower()
            step = .holding
            next = machine.now + Self.downTime
        case .holding:
            _ = machine.raise()
            sleep(machine.now)
        }
    }

    private mutating func sleep(_ now: Instant) {
        step = .sleeping
        let passed = Self.uptime(now) - lastCheck
        next = passed < Self.pingPeriod ? now + (Self.pingPeriod - passed) : now
    }

    private static func uptime(_ now: Instant) -> Instant {
        let second = Duration.seconds(1).nanoseconds
        return Instant(nanoseconds: now.nanoseconds / second * second)
    }

    /// sleep(1) uses CLOCK_MONOTONIC, which stands still in suspend.
    mutating func woke(after duration: Duration) { next = next + duration }
}
