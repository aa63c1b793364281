@testable import Model
@testable import Toggling

/// Who looks after the link of a machine.
protocol Resident {
    /// When it does something next.
    var next: Instant { get }
    mutating func begin(_ machine: inout Machine)
    /// Its moment has come.
    mutating func act(_ machine: inout Machine)
    /// The kernel announced something.
    mutating func hear(_ event: Event, _ machine: inout Machine)
    /// The machine slept for so long.
    mutating func woke(after duration: Duration)
}

extension Resident {
    mutating func begin(_ machine: inout Machine) {}
    mutating func hear(_ event: Event, _ machine: inout Machine) {}
}

extension Life {
    /// Lives this life with a resident, and tells what came of it.
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

/// Nobody looks after it.
struct Nobody: Resident {
    var next: Instant { Instant(nanoseconds: .max) }
    mutating func act(_ machine: inout Machine) {}
    mutating func woke(after duration: Duration) {}
}

/// The plain timer: down, three seconds, up, every minute, whatever the link is like.
struct PlainTimer: Resident {
    private static let interval: Duration = .seconds(60)
    private static let hold: Duration = .seconds(3)

    private(set) var next = Life.beginning
    private var isHolding = false

    mutating func act(_ machine: inout Machine) {
        if isHolding {
            // Its command fails, and it does not look.
            _ = machine.raise()
        } else {
            machine.lower()
        }
        isHolding.toggle()
        next = machine.now + (isHolding ? Self.hold : Self.interval - Self.hold)
    }

    /// sleep(1) counts on CLOCK_MONOTONIC, which stands still meanwhile.
    mutating func woke(after duration: Duration) { next = next + duration }
}
