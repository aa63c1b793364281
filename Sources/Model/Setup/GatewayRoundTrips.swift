/// The round trips to the gateway that the checks of the service measured within the last day. Each value is the
/// median of the values of all quarters of an hour.
public struct GatewayRoundTrips: Hashable, Sendable {
    /// The number of quarters of an hour in which round trips were measured.
    public var quarters: Int
    public var least: Duration
    public var median: Duration
    public var most: Duration
    /// The signal in dBm; nil: not known.
    public var signal: Int8?

    public init(quarters: Int, least: Duration, median: Duration, most: Duration, signal: Int8? = nil) {
        self.quarters = quarters
        self.least = least
        self.median = median
        self.most = most
        self.signal = signal
    }
}
