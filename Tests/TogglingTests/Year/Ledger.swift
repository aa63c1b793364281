@testable import Model
@testable import Toggling

/// The effects of a watchdog on a link, good and bad.
struct Ledger {
    /// The state of the network at a time.
    enum Condition: Hashable, CaseIterable {
        case working
        /// The machine is suspended.
        case asleep
        /// A user wants it off.
        case unwanted
        /// A fault that no bounce cures.
        case incurable
        /// A fault that a bounce cures, until all is well again.
        case curable
        /// A needless bounce took it away.
        case caused
        /// The owner of the interface joins by itself.
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

    /// A fault that a bounce cures, from the time at which it takes effect.
    struct Fault {
        let trouble: Trouble
        let bitten: Instant
        let end: Instant
        /// Associations that it still needs.
        var associations: Int
        var firstBounce: Instant?
        /// nil: not over.
        var recovered: Instant?
    }

    /// Curable, and this long without a bounce: missed.
    static let timeout: Duration = .minutes(5)

    private(set) var durations: [Condition: Duration] = [:]
    private(set) var bounces: [Ground: Int] = [:]
    private(set) var faults: [Fault] = []
    /// Faults followed by worse ones; they are not counted any further.
    var overtaken = 0
    /// Raises while a user wanted the link down.
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
    /// There was a fault that no bounce cures.
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

    /// From the start of the effect until all was well, the shortest first.
    var recoveries: [Duration] { faults.compactMap(\.duration).sorted() }

    /// The time within which this percentage of the recoveries was complete; nil: there are none.
    func recovery(percentile: Int) -> Duration? {
        let recoveries = recoveries
        return recoveries.isEmpty ? nil : recoveries[(recoveries.count * percentile + 99) / 100 - 1]
    }

    func duration(_ condition: Condition) -> Duration { durations[condition, default: .zero] }
    /// Awake, wanted, and without network.
    var without: Duration {
        duration(.incurable) + duration(.curable) + duration(.caused) + duration(.joining)
    }
    var avoidable: Duration { duration(.curable) + duration(.caused) }
}

extension Ledger.Fault {
    var duration: Duration? { recovered.map { $0 - bitten } }
}
