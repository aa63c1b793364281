@testable import Model
@testable import Toggling

/// A watchdog of a machine's link.
protocol Resident {
    /// The time of its next action.
    var next: Instant { get }
    mutating func begin(_ machine: inout Machine)
    /// That time has come.
    mutating func act(_ machine: inout Machine)
    /// The kernel announced something.
    mutating func hear(_ event: Event, _ machine: inout Machine)
    /// The machine was suspended for this long.
    mutating func woke(after duration: Duration)
}

extension Resident {
    mutating func begin(_ machine: inout Machine) {}
    mutating func hear(_ event: Event, _ machine: inout Machine) {}
}

extension Life {
    /// Simulates this life with a watchdog, and returns the result.
    func lived(by resident: some Resident) -> Ledger {
        var resident = resident
        var machine = Machine(self)
        var asleepSince: Instant?
        resident.begin(&machine)
        while true {
            let next = machine.isAsleep ? machine.nextChange : min(machine.nextChange, resident.next)
            guard next < end else { break }
            machine.advance(to: max(next, machine.now))
            if machine.isAsleep {
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

/// The plain timer: down, three seconds, up, every minute, whatever the state of the link.
struct PlainTimer: Resident {
    private static let interval: Duration = .seconds(60)
    private static let downTime: Duration = .seconds(3)

    private(set) var next = Life.beginning
    private var isDown = false

    mutating func act(_ machine: inout Machine) {
        if isDown {
            // Its command fails, and it does not check that.
            _ = machine.raise()
        } else {
            machine.lower()
        }
        isDown.toggle()
        next = machine.now + (isDown ? Self.downTime : Self.interval - Self.downTime)
    }

    /// sleep(1) uses CLOCK_MONOTONIC, which stands still in suspend.
    mutating func woke(after duration: Duration) { next = next + duration }
}
