import Model
import Testing
import Toggling

@testable import Reporting

/// Reads the positions of the curves from the page, and compares them with its scales.
@Suite("The curves of the history's page") struct PageCurveTests {
    private typealias S = HistorySamples
    private typealias Place = (x: Double, y: Double)

    /// A picture of the page, with the positions that are read from its markup.
    private struct Picture {
        /// The horizontal lines, by their labels.
        var levels: [(text: String, y: Double)]
        /// The marks at the bottom, by their labels.
        var marks: [(text: String, x: Double)]
        var line: [Place]
        var band: [Place]

        init(_ page: String, _ name: String) throws {
            let section = try #require(page.split(separator: "<h3>\(name)</h3>").last)
            let rows = try #require(section.split(separator: "</svg>").first).split(separator: "\n")
            func number(_ row: Substring, _ name: String) -> Double {
                Double(row.split(separator: " \(name)=\"").last?.split(separator: "\"").first ?? "") ?? .nan
            }
            func text(_ row: Substring) -> String {
                String(row.split(separator: "</text>").first?.split(separator: ">").last ?? "")
            }
            func places(_ kind: String) -> [Place] {
                let row = rows.first { $0.hasPrefix("<\(kind) ") } ?? ""
                let points = row.split(separator: "points=\"").last?.split(separator: "\"").first ?? ""
                return points.split(separator: " ").map { point in
                    let parts = point.split(separator: ",").compactMap { Double($0) }
                    return (parts.first ?? .nan, parts.last ?? .nan)
                }
            }
            let axes = rows.filter { $0.hasPrefix("<line class=\"axis\"") }
            levels = axes.filter { $0.contains("text-anchor=\"end\">-") || $0.contains("s</text>") }
                .map { (text($0), number($0, "y1")) }
            marks = axes.filter { $0.contains(">20") }.map { (text($0), number($0, "x1")) }
            line = places("polyline")
            band = places("polygon")
        }

        /// The vertical position of a value on the linear scale between the first and the last level.
        func y(_ value: Double) throws -> Double {
            let ends = try [levels.first, levels.last].map { end in
                let end = try #require(end)
                return (value: try #require(Double(end.text.split(separator: " ").first ?? "")), y: end.y)
            }
            let part = (value - ends[0].value) / (ends[1].value - ends[0].value)
            return ends[0].y + part * (ends[1].y - ends[0].y)
        }
    }

    private static let quarter: Int64 = 900_000
    /// The allowed difference between positions, which the page writes with one decimal.
    private static let exactness = 0.11

    private static func page(
        signal: [HistorySample.Spread?], roundTrip: [HistorySample.Spread?]
    ) -> String {
        let entries = zip(signal, roundTrip).enumerated().map { place, spreads in
            S.entry(
                .sampled(
                    HistorySample(checks: 1, unanswered: 0, signal: spreads.0, roundTrip: spreads.1)),
                .healthy, at: S.instant(Int64(place) * quarter))
        }
        return HistoryShownTests.page([Timeline(of: "wlan0", entries)])
    }

    private func isNear(_ one: Double, _ other: Double) -> Bool { abs(one - other) <= Self.exactness }

    @Test("each sample's median, minimum and maximum are drawn where the scale says")
    func signal() throws {
        let values: [(Int64, Int64, Int64)] = [
            (-88, -70, -61), (-70, -65, -60), (-70, -55, -33), (-82, -81, -80), (-60, -60, -60),
        ]
        let spreads = values.map { HistorySample.Spread(least: $0.0, median: $0.1, most: $0.2) }
        let picture = try Picture(
            Self.page(signal: spreads, roundTrip: spreads.map { _ in nil }), "Signal")
        #expect(
            picture.levels.map(\.text) == [
                "-90 dBm", "-80 dBm", "-70 dBm", "-60 dBm", "-50 dBm", "-40 dBm", "-30 dBm",
                "-20 dBm",
            ])
        for level in picture.levels {
            let value = try #require(Double(level.text.split(separator: " ").first ?? ""))
            #expect(isNear(level.y, try picture.y(value)), "\(level)")
        }
        try #require(picture.line.count == values.count && picture.band.count == 2 * values.count)
        #expect(picture.marks.count == values.count, "one mark for each of the five samples")
        for (place, value) in values.enumerated() {
            let (line, most) = (picture.line[place], picture.band[place])
            let least = picture.band[2 * values.count - 1 - place]
            #expect(isNear(line.y, try picture.y(Double(value.1))), "median \(place): \(line)")
            #expect(isNear(most.y, try picture.y(Double(value.2))), "most \(place): \(most)")
            #expect(isNear(least.y, try picture.y(Double(value.0))), "least \(place): \(least)")
            for point in [line, most, least] { #expect(isNear(point.x, picture.marks[place].x)) }
        }
        #expect(
            picture.marks.map { String($0.text.suffix(5)) } == ["08:00", "08:15", "08:30", "08:45", "09:00"])
    }

    @Test("a power of ten of the round trip is on its grid line, other values between the lines")
    func roundTrip() throws {
        let values: [Int64] = [100, 1000, 10_000, 100_000, 550, 5500, 55_000]
        let spreads = values.map { HistorySample.Spread(least: $0, median: $0, most: $0) }
        let picture = try Picture(
            Self.page(signal: spreads.map { _ in nil }, roundTrip: spreads), "Round trip")
        #expect(picture.levels.map(\.text) == ["0.1ms", "1ms", "10ms", "100ms"])
        try #require(picture.line.count == values.count && picture.levels.count == 4)
        for (point, level) in zip(picture.line, picture.levels) { #expect(isNear(point.y, level.y)) }
        for (step, point) in picture.line.suffix(3).enumerated() {
            let middle = (picture.levels[step].y + picture.levels[step + 1].y) / 2
            #expect(isNear(point.y, middle), "\(values[4 + step]): \(point)")
        }
    }
}
