import Model
import Toggling

/// How spans of time are spread: a histogram of Prometheus, which can be added up over machines as a quantile
/// cannot.
struct Histogram: Equatable {
    /// The upper ends of its buckets, inclusive, from the smallest; what is longer counts in the sum alone.
    let bounds: [Duration]
    /// As many as there are bounds, each without those below it; none before the first span.
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

    /// Each bound, and how many spans were no longer.
    var cumulated: [(bound: Duration, count: Int)] {
        var sum = 0
        return bounds.indices.map { place in
            sum += counts.isEmpty ? 0 : counts[place]
            return (bounds[place], sum)
        }
    }
}
