@testable import Model
@testable import Toggling

/// A watchdog of a machine's link.
protocol Resident {
    /// The time of the watchdog's next action.
    var next: Instant { get }
    mutating func begin(_ machine: inout Machine)
    /// Called when the time `next` has come.
    mutating func act(_ machine: inout Machine)
    /// Called when the kernel has announced this event.
    mutating func hear(_ event: Event, _ machine: inout Machine)
    /// Called after the machine was suspended for this long.
    mutating func woke(after duration: Duration)
}

extension Resident {
    mutating func begin(_ machine: inout Machine) {}
    mutating func hear(_ event: Event, _ machine: inout Machine) {}
}

extension Life {
    /// Simulates this life with a watchdog, and returns the ledger.
    func lived(by resident: some Resident) -> Ledger {
        var resident = resident
        var machine = Machine(self)
        var asleepSince: Instant?
        resident.begin(&machine)
        while true {
            let isAsleep = machine.station.troubles.isSuspended
            let next = isAsleep ? machine.nextChange : min(machine.nextChange, resident.next)
            guard next < end else { break }
            machine.advance(to: max(next, machine.now))
            if machine.station.troubles.isSuspended {
                asleepSince = asleepSince ?? machine.now
                continue
            }
            if let since = asleepSince { resident.woke(after: machine.now - since) }
            asleepSince = nil
            if resident.next <= machine.now { resident.act(&machine) }
            for event in machine.takeAnnouncements() { resident.hear(event, &machine) }
        }
        machine.advance(to: end)
        return machine.close()
    }
}

/// No watchdog.
struct Nobody: Resident {
    var next: Instant { Instant(nanoseconds: .max) }
    mutating func act(_ machine: inout Machine) {}
    mutating func woke(after duration: Duration) {}
}

/// The plain timer: every minute it sets the link down for three seconds, whatever the link's state.
struct PlainTimer: Resident {
    private static let interval: Duration = .seconds(60)
    private static let downTime: Duration = .seconds(3)

    private(set) var next = Life.beginning
    private var isDown = false

    mutating func act(_ machine: inout Machine) {
        if isDown {
            // If the command fails, the timer does not notice.
            _ = machine.raise()
        } else {
            _ = machine.lower()
        }
        isDown.toggle()
        next = machine.now + (isDown ? Self.downTime : Self.interval - Self.downTime)
    }

    /// sleep(1) uses CLOCK_MONOTONIC, which stands still in suspend.
    mutating func woke(after duration: Duration) { next = next + duration }
}
