/// A curve of samples: the median as a line, and a band from the minimum to the maximum.
struct PageCurve {
    /// The measured quantity, which determines the scale.
    enum Quantity {
        /// The signal in dBm, on a linear scale.
        case signal
        /// The round trip in microseconds, on a logarithmic scale.
        case roundTrip
    }

    struct Point {
        var at: Int64
        var spread: HistorySample.Spread
    }

    private static let height = 160.0
    private static let margin = 8.0
    /// Samples that are further apart than this, in milliseconds, are not connected: somewhat more than two
    /// quarters of an hour.
    private static let longestGap: Int64 = 40 * 60 * 1000
    /// The most points of one picture, which is a thousand units wide.
    private static let mostPoints = 500

    let quantity: Quantity
    let points: [Point]

    init(_ quantity: Quantity, _ samples: [Timeline.Sample]) {
        self.quantity = quantity
        points = samples.compactMap { sample in
            let spread = quantity == .signal ? sample.sample.signal : sample.sample.roundTrip
            return spread.map { Point(at: sample.at, spread: $0) }
        }
    }

    func draw(on frame: PagePicture, _ time: PageTime) -> PagePicture {
        var picture = frame
        let levels = levels
        for level in levels { picture.addLevel(y(level, levels), text(level)) }
        for piece in pieces { draw(Self.thinned(piece, to: points.count), levels, on: &picture) }
        for day in days(time) {
            picture.addRectangle(
                "hover", from: day.begin, to: day.end, top: 0, height: Self.height, least: Self.margin,
                title: "\(day.cells[0]): \(day.cells[1]) to \(day.cells[3]), median \(day.cells[2])")
        }
        return picture
    }

    static func frame(
        from begin: Int64, to end: Int64, wallTime: @escaping (Int64) -> String
    ) -> PagePicture {
        PagePicture(from: begin, to: end, height: height, wallTime: wallTime)
    }

    private func draw(_ piece: [Point], _ levels: [Int64], on picture: inout PagePicture) {
        let frame = picture
        let place = { (point: Point, value: Int64) in
            PageMarkup.number(frame.x(point.at)) + "," + PageMarkup.number(y(value, levels))
        }
        let top = piece.map { place($0, $0.spread.most) }
        let bottom = piece.reversed().map { place($0, $0.spread.least) }
        let middle = piece.map { place($0, $0.spread.median) }
        let dot = piece.count == 1 ? middle[0].split(separator: ",") : []
        picture.add("<polygon class=\"band\" points=\"\((top + bottom).joined(separator: " "))\"/>")
        picture.add("<polyline class=\"curve\" points=\"\(middle.joined(separator: " "))\"/>")
        if dot.count == 2 {
            picture.add("<circle class=\"point\" cx=\"\(dot[0])\" cy=\"\(dot[1])\" r=\"2\"/>")
        }
    }

    private var pieces: [[Point]] {
        points.reduce(into: []) { pieces, point in
            if let last = pieces.last?.last, (0...Self.longestGap).contains(point.at - last.at) {
                pieces[pieces.count - 1].append(point)
            } else {
                pieces.append([point])
            }
        }
    }

    /// Combines adjacent points, so that a picture with `count` points in all has about `mostPoints` at most.
    /// Gaps add points, because each piece keeps at least one.
    private static func thinned(_ piece: [Point], to count: Int) -> [Point] {
        let step = (count + mostPoints - 1) / mostPoints
        return stride(from: 0, to: piece.count, by: step).map { first in
            let part = piece[first..<min(first + step, piece.count)]
            return combined(part, at: part[(part.startIndex + part.endIndex - 1) / 2].at)
        }
    }

    /// One point for several: with the minimum, the median of the medians, and the maximum.
    private static func combined(_ points: ArraySlice<Point>, at instant: Int64) -> Point {
        var spread = points[points.startIndex].spread
        spread.least = points.map(\.spread.least).min() ?? spread.least
        spread.median = points.map(\.spread.median).sorted()[(points.count - 1) / 2]
        spread.most = points.map(\.spread.most).max() ?? spread.most
        return Point(at: instant, spread: spread)
    }

    // MARK: The scale

    /// The values of the horizontal lines, the lowest first. All points are between the first and the last.
    private var levels: [Int64] {
        let least = points.map(\.spread.least).min() ?? 0
        let most = points.map(\.spread.most).max() ?? 0
        switch quantity {
        case .signal:
            let step: Int64 = 10
            let first = (least - step + 1) / step * step
            let last = max(first + step, (most + step) / step * step)
            return Array(stride(from: first, through: last, by: Int64.Stride(step)))
        case .roundTrip:
            var levels: [Int64] = [100]
            while levels[0] > 1, levels[0] > least { levels.insert(levels[0] / 10, at: 0) }
            while levels.last ?? .max < max(most, 1000) { levels.append((levels.last ?? 1) * 10) }
            return levels
        }
    }

    private func y(_ value: Int64, _ levels: [Int64]) -> Double {
        let above = levels.firstIndex { $0 >= value } ?? levels.count - 1
        let part: Double
        if above == 0 {
            part = 0
        } else {
            let (low, high) = (levels[above - 1], levels[above])
            part = Double(above - 1) + Double(min(value, high) - low) / Double(high - low)
        }
        let room = Self.height - 2 * Self.margin
        return Self.height - Self.margin - part / Double(max(1, levels.count - 1)) * room
    }

    // MARK: Words

    func text(_ value: Int64) -> String {
        switch quantity {
        case .signal: "\(value) dBm"
        case .roundTrip where value < 10_000: "\(PageMarkup.number(Double(value) / 1000))ms"
        case .roundTrip: Duration.microseconds(value).text
        }
    }

    /// A row for each day: the day, the minimum, median and maximum, and the number of samples.
    func days(_ time: PageTime) -> [(cells: [String], begin: Int64, end: Int64)] {
        var days: [(name: String, points: [Point])] = []
        for point in points {
            let name = time.day(point.at)
            if days.last?.name != name { days.append((name, [])) }
            days[days.count - 1].points.append(point)
        }
        return days.map { day in
            let (begin, end) = (day.points[0].at, day.points[day.points.count - 1].at)
            let spread = Self.combined(day.points[...], at: begin).spread
            let cells = [spread.least, spread.median, spread.most].map(text)
            return ([day.name] + cells + [String(day.points.count)], begin, end)
        }
    }
}
