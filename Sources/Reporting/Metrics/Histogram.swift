/// A distribution of durations as a Prometheus histogram, which can be added up over machines, unlike a
/// quantile.
struct Histogram: Equatable {
    /// The upper bounds of its buckets, inclusive, ascending; longer durations count only in the sum.
    let bounds: [Duration]
    /// One per bound, not cumulative; empty before the first duration.
    private(set) var counts: [Int] = []
    private(set) var count = 0
    private(set) var sum: Duration = .zero

    init(_ bounds: [Duration]) { self.bounds = bounds }

    mutating func take(_ duration: Duration) {
        if counts.isEmpty { counts = bounds.map { _ in 0 } }
        count += 1
        sum += duration
        if let bucket = bounds.firstIndex(where: { duration <= $0 }) { counts[bucket] += 1 }
    }

    /// Each bound, and how many durations were at most as long.
    var cumulated: [(bound: Duration, count: Int)] {
        var sum = 0
        return bounds.indices.map { place in
            sum += counts.isEmpty ? 0 : counts[place]
            return (bounds[place], sum)
        }
    }
}
