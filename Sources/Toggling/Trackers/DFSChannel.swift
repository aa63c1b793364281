import Model

/// The channels on which weather and military radar comes first: an access point has to listen there before it sends,
/// and to fall silent when it hears one (dynamic frequency selection, IEEE 802.11, 11.9).
enum DFSChannel {
    /// 5250 to 5350 and 5470 to 5725 MHz, by the middle of the primary channel.
    private static let channels: [ClosedRange<UInt32>] = [5260...5340, 5480...5720]
    /// Where weather radar works.
    private static let weather: ClosedRange<UInt32> = 5600...5640

    /// How long an access point listens before it may send (channel availability check: ETSI EN 301 893; the FCC knows
    /// no longer one).
    static let listening: Duration = .seconds(60)
    static let listeningToWeather: Duration = .seconds(600)

    /// How long an access point may be silent on a channel without being gone; nil: it need not be.
    /// - Parameter frequency: MHz.
    static func silence(on frequency: UInt32) -> Duration? {
        guard channels.contains(where: { $0.contains(frequency) }) else { return nil }
        return weather.contains(frequency) ? listeningToWeather : listening
    }
}
