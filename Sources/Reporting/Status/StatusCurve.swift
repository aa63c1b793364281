/// The signal and the round trip of the last checks of one interface, as far as the client received them.
struct StatusCurve {
    /// The most values, which fit a wide terminal.
    private static let most = 240
    /// Below the one no frame is received, and the other is next to the access point; in dBm.
    private static let signals: ClosedRange<Double> = -90 ... -30

    private(set) var signal: [Double?] = []
    /// In milliseconds.
    private(set) var roundTrip: [Double?] = []
    /// The time of the last check, as the service gave it.
    private var last: String?

    /// Adds the values of a status; a check that is known already adds none.
    mutating func take(_ interface: JSONText) {
        guard let checked = interface["checked"]?.string, checked != last else { return }
        last = checked
        signal.append(interface["signal_dbm"]?.whole.map(Double.init))
        let durations = interface["evidence"]?.elements.compactMap { $0["rtt_ms"]?.duration } ?? []
        roundTrip.append(durations.min().map { Double($0.nanoseconds) / 1_000_000 })
        signal = signal.suffix(Self.most)
        roundTrip = roundTrip.suffix(Self.most)
    }

    /// A line for each of the two that has values.
    func lines(width: Int, isPlain: Bool) -> [String] {
        let highest = roundTrip.compactMap(\.self).max() ?? 0
        return [
            line("signal    ", signal, Self.signals, isPlain, width) { "\(Int($0)) dBm" },
            line("round trip", roundTrip, 0...max(highest, 1), isPlain, width) {
                Duration.microseconds(Int64($0 * 1000)).text
            },
        ].compactMap(\.self)
    }

    private func line(
        _ title: String, _ values: [Double?], _ range: ClosedRange<Double>, _ isPlain: Bool, _ width: Int,
        _ text: (Double) -> String
    ) -> String? {
        guard values.contains(where: { $0 != nil }) else { return nil }
        let now = values.last.flatMap(\.self).map(text) ?? "-"
        let room = width - title.count - now.count - 2
        return "\(title) \(Sparkline(range: range, isPlain: isPlain).text(values, width: room)) \(now)"
    }
}
