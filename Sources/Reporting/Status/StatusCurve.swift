/// The curves of the signal and the round trip of one interface, over the last checks that the client
/// received.
struct StatusCurve {
    /// The most values, which fit a wide terminal.
    private static let most = 240
    /// The range of signals in dBm. Below the lower bound no frame is received. The upper bound is the signal
    /// next to the access point.
    private static let signals: ClosedRange<Double> = -90 ... -30

    private(set) var signal: [Double?] = []
    /// The shortest round trip of each check, in milliseconds.
    private(set) var roundTrip: [Double?] = []
    /// The time of the last check, as text from the service.
    private var last: String?

    /// Adds the values of a status, unless its check was added before.
    mutating func take(_ interface: JSONText) {
        guard let checked = interface["checked"]?.string, checked != last else { return }
        last = checked
        signal.append(interface["signal_dbm"]?.whole.map(Double.init))
        let durations = interface["evidence"]?.elements.compactMap { $0["rtt_ms"]?.duration } ?? []
        roundTrip.append(durations.min().map { Double($0.nanoseconds) / 1_000_000 })
        signal = signal.suffix(Self.most)
        roundTrip = roundTrip.suffix(Self.most)
    }

    /// The lines of the signal and of the round trip; a curve without values has none.
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
