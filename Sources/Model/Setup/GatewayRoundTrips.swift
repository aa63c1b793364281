/// The round trips to the gateway that the checks of the service measured on the healthy link within the last
/// day, and since boot. Each duration, and the signal, is the median of the values of all quarters of an
/// hour.
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
