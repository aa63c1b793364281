import Model
import Testing
import Toggling

@testable import Reporting

@Suite("What the last day's checks measured") struct RecentSamplesTests {
    private static let hour: Int64 = 3_600_000
    private static let now = HistorySamples.instant(100 * hour)

    private static func line(
        _ roundTrip: [Int64]?, signal: Int64? = -50, _ condition: Health.Condition = .healthy,
        at hours: Int64 = 99, boot: String = HistorySamples.boot
    ) -> [UInt8] {
        let spread = { (numbers: [Int64]) in
            HistorySample.Spread(least: numbers[0], median: numbers[1], most: numbers[2])
        }
        let sample = HistorySample(
            checks: 15, unanswered: 0, signal: signal.flatMap { spread([$0, $0, $0]) },
            roundTrip: roundTrip.flatMap(spread))
        return HistoryLine.bytes(
            of: HistorySamples.entry(
                .sampled(sample), condition, at: HistorySamples.instant(hours * hour, boot: boot)))
    }

    @Test("the medians of minimum, median and maximum are used; one slow sample does not change them")
    func medians() {
        let file =
            Self.line([1000, 50_000, 90_000], signal: -60) + Self.line([6000, 52_000, 103_000])
            + Self.line([9000, 55_000, 9_000_000]) + Self.line(nil, signal: nil)
        #expect(
            RecentSamples(file, at: Self.now).gatewayRoundTrips
                == GatewayRoundTrips(
                    quarters: 3, least: .milliseconds(6), median: .milliseconds(52), most: .milliseconds(103),
                    signal: -50))
    }

    @Test(
        "a sample that is old, in the future, of another boot, not healthy or damaged does not count",
        arguments: [
            line([1, 2, 3], at: 75), line([1, 2, 3], at: 101), line([1, 2, 3], boot: "another"),
            line([1, 2, 3], .sick), line([1, 2, 3], .undetermined), line(nil), line([1, 2, 3]).dropLast(9),
            [],
        ].map(Array.init))
    func others(file: [UInt8]) {
        #expect(RecentSamples(file, at: Self.now).gatewayRoundTrips == nil)
        let whole = RecentSamples(file + Self.line([1000, 2000, 3000], signal: nil), at: Self.now)
        #expect(whole.gatewayRoundTrips?.quarters == 1)
        #expect(whole.gatewayRoundTrips?.median == .milliseconds(2))
    }
}
