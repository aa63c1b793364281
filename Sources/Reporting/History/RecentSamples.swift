import Model

/// The samples of the last day that were taken while the link was healthy, from its history. Only samples of
/// the running boot count, because the wall clock may have been wrong before.
public struct RecentSamples {
    /// The greatest age of a sample that counts, in milliseconds.
    private static let longestAge: Int64 = 86_400_000

    private var samples: [HistorySample] = []

    /// - Parameters:
    ///   - file: the whole history of the interface. Damaged entries are left out.
    ///   - now: the present time, with the identifier of the running boot.
    public init(_ file: [UInt8], at now: Timestamp) {
        for case .entry(let entry) in HistoryLine.readings(of: file) {
            guard case .sampled(let sample) = entry.what, entry.condition == .healthy,
                entry.at.boot == now.boot, (0...Self.longestAge).contains(now.sinceBoot - entry.at.sinceBoot)
            else { continue }
            samples.append(sample)
        }
    }

    /// The round trips to the gateway; nil: none were measured. Use this only if all probes of the link ask
    /// its gateway, because samples do not distinguish targets.
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

    /// The median. For an even number of values, this is the lower of the two in the middle.
    private static func median(of numbers: [Int64]) -> Int64? {
        numbers.isEmpty ? nil : numbers.sorted()[(numbers.count - 1) / 2]
    }
}
