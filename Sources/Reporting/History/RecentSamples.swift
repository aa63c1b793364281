import Model

/// The samples of the last day of a healthy link, from its history: of the running boot alone, because the wall
/// clock may have been wrong before.
public struct RecentSamples {
    /// In milliseconds.
    private static let memory: Int64 = 86_400_000

    private var samples: [HistorySample] = []

    /// - Parameters:
    ///   - file: the whole history of the interface. What is damaged in it is left out.
    ///   - now: with the running boot.
    public init(_ file: [UInt8], at now: Timestamp) {
        for case .entry(let entry) in HistoryLine.readings(of: file) {
            guard case .sampled(let sample) = entry.what, entry.condition == .healthy,
                entry.at.boot == now.boot, (0...Self.memory).contains(now.sinceBoot - entry.at.sinceBoot)
            else { continue }
            samples.append(sample)
        }
    }

    /// Of a link whose probes all ask its gateway; nil: none were measured.
    public var gatewayRoundTrips: GatewayRoundTrips? {
        let spreads = samples.compactMap(\.roundTrip)
        guard let least = Self.median(of: spreads.map(\.least)),
            let median = Self.median(of: spreads.map(\.median)),
            let most = Self.median(of: spreads.map(\.most))
        else { return nil }
        return GatewayRoundTrips(
            quarters: spreads.count, least: .microseconds(least), median: .microseconds(median),
            most: .microseconds(most),
            signal: Self.median(of: samples.compactMap(\.signal?.median)).map { Int8(clamping: $0) })
    }

    /// Of an even number the lower middle one, as everywhere.
    private static func median(of numbers: [Int64]) -> Int64? {
        numbers.isEmpty ? nil : numbers.sorted()[(numbers.count - 1) / 2]
    }
}
