@testable import Model
@testable import Toggling

/// What a resident did for a link, and what it did to it.
struct Ledger {
    /// How things stand with the network at a moment.
    enum Condition: Hashable, CaseIterable {
        case working
        /// The machine sleeps.
        case asleep
        /// A person wants it off.
        case unwanted
        /// Something is at fault that no bounce cures.
        case incurable
        /// A fault that a bounce cures, until all is well again.
        case curable
        /// A bounce took it away for nothing.
        case caused
        /// The owner of the interface joins by itself.
        case joining
    }

    /// What a bounce was begun for.
    enum Ground: Hashable {
        case curable
        case trouble(Trouble)
        /// The owner was about to join anyway.
        case joining
        /// Everything was well.
        case health
    }

    /// A fault that a bounce cures, from the moment it bites.
    struct Fault {
        let trouble: Trouble
        let bitten: Instant
        let end: Instant
        /// Associations that it takes yet.
        var associations: Int
        var firstBounce: Instant?
        /// nil: not over.
        var recovered: Instant?
    }

    /// Curable, and so long without a bounce: missed.
    static let timeout: Duration = .minutes(5)

    private(set) var durations: [Condition: Duration] = [:]
    private(set) var bounces: [Ground: Int] = [:]
    private(set) var faults: [Fault] = []
    /// Faults on top of which came worse; they count no further.
    var overtaken = 0
    /// Raises while a person wanted the link down.
    var overruled = 0
    /// Every bounce of this life.
    private(set) var begun: [(ground: Ground, at: Instant)] = []
    /// The longest time from a bounce's beginning to the link administratively up, the radio free.
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

/// What the table tells.
extension Ledger {
    var total: Int { bounces.values.reduce(0, +) }
    var inHealth: Int { bounces[.health, default: 0] }
    /// Something was wrong, and nothing that a bounce cures.
    var inVain: Int { total - inHealth - bounces[.curable, default: 0] }

    /// Curable faults that went on for too long without a bounce.
    var missed: [Fault] {
        faults.filter { fault in
            guard let firstBounce = fault.firstBounce else {
                return fault.duration ?? Self.timeout >= Self.timeout
            }
            return firstBounce - fault.bitten > Self.timeout
        }
    }

    /// From the bite until all was well, the shortest first.
    var recoveries: [Duration] { faults.compactMap(\.duration).sorted() }

    /// The time that so many per cent of the recoveries took at most; nil: there are none.
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
