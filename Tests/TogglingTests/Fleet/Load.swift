@testable import Model
@testable import Toggling

/// The load of a fleet on its access points, and the boxes' recovery.
struct Load {
    /// The associations of all boxes, by the second after the outage's end (before it: negative).
    private(set) var joins: [Int: Int] = [:]
    private(set) var bounces = 0
    private(set) var boxes = 0
    private(set) var mostBounces = 0
    /// Seconds from the outage's end until the last box was well; nil: at least one box was not well in time.
    private(set) var allWellAt: Double? = -.infinity

    mutating func add(_ story: Box.Story) {
        for second in story.joins { joins[second, default: 0] += 1 }
        bounces += story.bounces
        boxes += 1
        mostBounces = max(mostBounces, story.bounces)
        allWellAt = Self.later(allWellAt, story.wellAt)
    }

    static func += (sum: inout Load, other: Load) {
        sum.joins.merge(other.joins, uniquingKeysWith: +)
        sum.bounces += other.bounces
        sum.boxes += other.boxes
        sum.mostBounces = max(sum.mostBounces, other.mostBounces)
        sum.allWellAt = later(sum.allWellAt, other.allWellAt)
    }

    private static func later(_ one: Double?, _ other: Double?) -> Double? {
        guard let one, let other else { return nil }
        return max(one, other)
    }

    var bouncesEach: Double { Double(bounces) / Double(boxes) }

    func busiest(_ seconds: Range<Int>) -> Int {
        seconds.reduce(0) { max($0, joins[$1, default: 0]) }
    }
}
