/// A row of small bars, one for each value, the newest last.
struct Sparkline {
    /// The bars, from the lowest to the highest.
    private static let blocks: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
    /// The bars for terminals without Unicode.
    private static let plain: [Character] = [".", ":", "-", "=", "+", "*", "%", "#"]

    /// The values of the lowest and the highest bar. A smaller value gets the lowest bar, a larger one the
    /// highest.
    var range: ClosedRange<Double>
    var isPlain = false

    /// The row of bars.
    /// - Parameters:
    ///   - values: the values; nil is an unknown value, which leaves a gap.
    ///   - width: the width in columns; only the last values that fit are shown.
    func text(_ values: [Double?], width: Int) -> String {
        String(values.suffix(max(0, width)).map { $0.map(bar) ?? " " })
    }

    private func bar(_ value: Double) -> Character {
        let bars = isPlain ? Self.plain : Self.blocks
        let duration = range.upperBound - range.lowerBound
        let part = duration > 0 ? (value - range.lowerBound) / duration : 0
        // A value that is not a number gets the lowest bar.
        guard part > 0 else { return bars[0] }
        return bars[min(Int(min(part, 1) * Double(bars.count)), bars.count - 1)]
    }
}
