/// The channels on which weather and military radar has priority: an access point must listen there before it
/// sends, and must stop sending when it detects radar (dynamic frequency selection, IEEE 802.11, 11.9).
package enum DFSChannel {
    /// The centre frequencies, in MHz, of the primary channels within 5250 to 5350 and 5470 to 5725 MHz.
    private static let channels: [ClosedRange<UInt32>] = [5260...5340, 5480...5720]
    /// The channels of weather radar, in MHz.
    private static let weather: ClosedRange<UInt32> = 5600...5640

    /// How long an access point must listen before it may send (channel availability check, ETSI EN 301 893).
    /// The FCC's rules never require more.
    static let listening: Duration = .seconds(60)
    static let listeningToWeather: Duration = .seconds(600)

    /// How long an access point may be silent because of a channel availability check; nil: the channel
    /// requires none.
    /// - Parameter frequency: the frequency of the primary channel in MHz.
    package static func silence(on frequency: UInt32) -> Duration? {
        guard channels.contains(where: { $0.contains(frequency) }) else { return nil }
        return weather.contains(frequency) ? listeningToWeather : listening
    }
}
