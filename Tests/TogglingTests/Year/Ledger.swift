@testable import Model
@testable import Toggling

/// The effects of a watchdog on a link, good and bad.
struct Ledger {
    /// The state of the network at a time.
    enum Condition: Hashable, CaseIterable {
        case working
        /// The machine is suspended.
        case asleep
        /// A user wants the link off.
        case unwanted
        /// A fault that no bounce cures.
        case incurable
        /// A fault that a bounce cures; it lasts until the link is well again.
        case curable
        /// A needless bounce has interrupted the network.
        case caused
        /// The owner of the interface is joining by itself.
        case joining
    }

    /// Why a bounce was begun.
    enum Ground: Hashable {
        case curable
        case trouble(Trouble)
        /// The owner was about to join anyway.
        case joining
        /// Everything was well.
        case health
    }

    /// A fault that a bounce cures. It begins when it takes effect (`bitten`).
    struct Fault {
        let trouble: Trouble
        let bitten: Instant
        let end: Instant
        /// How many associations the cure still needs.
        var associations: Int
        var firstBounce: Instant?
        /// When the link was well again; nil: the fault is not over.
        var recovered: Instant?
    }

    /// A curable fault without a bounce for this long counts as missed.
    static let timeout: Duration = .minutes(5)

    private(set) var durations: [Condition: Duration] = [:]
    private(set) var bounces: [Ground: Int] = [:]
    private(set) var faults: [Fault] = []
    /// How many curable faults were followed by worse ones; these are left out of the figures.
    var overtaken = 0
    /// How many times the watchdog raised the link while a user wanted it down.
    var overruled = 0
    /// Every bounce of this life.
    private(set) var begun: [(ground: Ground, at: Instant)] = []
    /// The longest time from a bounce's beginning until the link is administratively up and the radio
    /// unblocked.
    var longestDown: Duration = .zero

    mutating func spend(_ duration: Duration, in condition: Condition) {
        durations[condition, default: .zero] += duration
    }

    mutating func bounce(on ground: Ground, at now: Instant) {
        bounces[ground, default: 0] += 1
        begun.append((ground, now))
    }

    mutating func close(_ fault: Fault) { faults.append(fault) }

    static func += (sum: inout Ledger, other: Ledger) {
        sum.durations.merge(other.durations, uniquingKeysWith: +)
        sum.bounces.merge(other.bounces, uniquingKeysWith: +)
        sum.faults += other.faults
        sum.overtaken += other.overtaken
        sum.overruled += other.overruled
        sum.longestDown = max(sum.longestDown, other.longestDown)
    }
}

/// The figures of the table.
extension Ledger {
    var total: Int { bounces.values.reduce(0, +) }
    var inHealth: Int { bounces[.health, default: 0] }
    /// How many bounces began during a fault that no bounce cures, or while the owner was joining.
    var inVain: Int { total - inHealth - bounces[.curable, default: 0] }

    /// Curable faults that lasted too long without a bounce.
    var missed: [Fault] {
        faults.filter { fault in
            guard let firstBounce = fault.firstBounce else {
                return fault.duration ?? Self.timeout >= Self.timeout
            }
            return firstBounce - fault.bitten > Self.timeout
        }
    }

    /// The durations of faults, from their effect until the link was well, the shortest first.
    var recoveries: [Duration] { faults.compactMap(\.duration).sorted() }

    /// The time within which this percentage of the recoveries was complete; nil: there are none.
    func recovery(percentile: Int) -> Duration? {
        let recoveries = recoveries
        return recoveries.isEmpty ? nil : recoveries[(recoveries.count * percentile + 99) / 100 - 1]
    }

    func duration(_ condition: Condition) -> Duration { durations[condition, default: .zero] }
    /// How long the network was missing while the machine was awake and the user wanted it.
    var without: Duration {
        duration(.incurable) + duration(.curable) + duration(.caused) + duration(.joining)
    }
    var avoidable: Duration { duration(.curable) + duration(.caused) }
}

extension Ledger.Fault {
    var duration: Duration? { recovered.map { $0 - bitten } }
}
