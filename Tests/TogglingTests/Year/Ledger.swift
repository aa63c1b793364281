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
        /// A fault that nothing cures.
        case incurable
        /// A fault that some method cures; it lasts until all is well again.
        case curable
        /// A needless action has interrupted the network.
        case caused
        /// The owner of the interface is joining by itself.
        case joining
    }

    /// Why an action was begun.
    enum Ground: Hashable {
        case curable
        case trouble(Trouble)
        /// The owner was about to join anyway.
        case joining
        /// Everything was well.
        case health
    }

    /// A fault that a watchdog can cure. It begins when it takes effect (`bitten`).
    struct Fault {
        let trouble: Trouble
        let bitten: Instant
        let end: Instant
        /// What the cure still needs.
        var cure: Trouble.Cure
        /// When a method that cures the fault was first tried.
        var firstCure: Instant?
        /// Whether a watchdog has ended the fault.
        var isCured = false
        /// When all was well again; nil: the fault is not over.
        var recovered: Instant?
    }

    /// Something that a watchdog did to the link.
    struct Action {
        let method: Model.Method
        let ground: Ground
        let at: Instant
        /// Whether this is the first method of a bounce, and not the next one after a method that did not help.
        let isFirst: Bool
    }

    /// A curable fault for which the method that cures it is not tried for this long counts as missed.
    static let timeout: Duration = .minutes(5)

    private(set) var durations: [Condition: Duration] = [:]
    private(set) var actions: [Ground: Int] = [:]
    private(set) var faults: [Fault] = []
    /// How many curable faults were cut short, as by a worse fault or a suspend; the figures leave them out.
    var overtaken = 0
    /// How many times the watchdog raised the link while a user wanted it down.
    var overruled = 0
    /// All actions of this life.
    private(set) var begun: [Action] = []
    /// The longest time from a bounce's beginning until the link is administratively up and the radio
    /// unblocked.
    var longestDown: Duration = .zero

    mutating func spend(_ duration: Duration, in condition: Condition) {
        durations[condition, default: .zero] += duration
    }

    mutating func note(_ action: Action) {
        actions[action.ground, default: 0] += 1
        begun.append(action)
    }

    mutating func close(_ fault: Fault) { faults.append(fault) }

    static func += (sum: inout Ledger, other: Ledger) {
        sum.durations.merge(other.durations, uniquingKeysWith: +)
        sum.actions.merge(other.actions, uniquingKeysWith: +)
        sum.faults += other.faults
        sum.overtaken += other.overtaken
        sum.overruled += other.overruled
        sum.longestDown = max(sum.longestDown, other.longestDown)
    }
}

/// The figures of the table.
extension Ledger {
    var total: Int { actions.values.reduce(0, +) }
    var inHealth: Int { actions[.health, default: 0] }
    /// How many actions began during a fault that they do not cure, or while the owner was joining.
    var inVain: Int { total - inHealth - actions[.curable, default: 0] }
    /// The ledger with only the faults of this kind.
    func only(_ trouble: Trouble) -> Ledger {
        var other = Ledger()
        for fault in faults where fault.trouble == trouble { other.close(fault) }
        return other
    }

    var cured: Int { faults.count(where: \.isCured) }

    /// Curable faults that lasted too long without the method that cures them.
    var missed: [Fault] {
        faults.filter { fault in
            guard let firstCure = fault.firstCure else {
                return fault.duration ?? Self.timeout >= Self.timeout
            }
            return firstCure - fault.bitten > Self.timeout
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
