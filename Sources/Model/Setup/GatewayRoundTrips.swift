/// The round trips to the gateway of the last day, as the checks of the service measured them: medians over
/// quarters of an hour.
public struct GatewayRoundTrips: Hashable, Sendable {
    /// The quarters of an hour in which there were any.
    public var quarters: Int
    public var least: Duration
    public var median: Duration
    public var most: Duration
    /// In dBm; nil: not known.
    public var signal: Int8?

    public init(quarters: Int, least: Duration, median: Duration, most: Duration, signal: Int8? = nil) {
        self.quarters = quarters
        self.least = least
        self.median = median
        self.most = most
        self.signal = signal
    }
}
