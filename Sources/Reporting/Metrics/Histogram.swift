/// A distribution of durations as a Prometheus histogram. Unlike quantiles, histograms of many machines can
/// be added up.
struct Histogram: Equatable {
    /// The upper bounds of the buckets, inclusive, in ascending order. A longer duration counts only in
    /// `count` and `sum`.
    let bounds: [Duration]
    /// The number of durations in each bucket, not cumulative; empty before the first duration.
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

    /// Each bound, with the number of durations up to it.
    var cumulated: [(bound: Duration, count: Int)] {
        var sum = 0
        return bounds.indices.map { place in
            sum += counts.isEmpty ? 0 : counts[place]
            return (bounds[place], sum)
        }
    }
}
