import Model

@testable import Reporting

/// A history file, as it may be after a power cut or a manual edit; and the same lines with correct
/// checksums, so that their content is parsed too.
enum Histories {
    @MainActor static func take(_ bytes: [UInt8]) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        check(bytes, lines: lines.count)
        check(lines.flatMap(sealed), lines: lines.count)
    }

    @MainActor private static func check(_ file: [UInt8], lines: Int) {
        let readings = HistoryLine.readings(of: file)
        demand(readings.count == lines, "\(readings.count) of \(lines) lines")
        let entries: [HistoryEntry] = readings.compactMap {
            if case .entry(let entry) = $0 { entry } else { nil }
        }
        for entry in entries { checkAgain(entry) }
        checkTorn(entries)
        checkShown(entries)
        checkPast(file, entries)
        checkRoundTrips(file, entries)
    }

    /// An entry that was read is written with the same content, as a line within the limit, and reading that
    /// line gives the same entry. A text that was too long is cut once, and not again.
    @MainActor private static func checkAgain(_ entry: HistoryEntry) {
        let line = HistoryLine.bytes(of: entry)
        demand(line.count <= HistoryLine.longest, "\(line.count) bytes")
        guard case .entry(let again)? = HistoryLine.readings(of: line).first else {
            fatalError("\(entry) cannot be read again")
        }
        demand(again.at == entry.at && again.condition == entry.condition, "\(entry) became \(again)")
        demand(HistoryLine.bytes(of: again) == line, "\(entry) is written otherwise the second time")
    }

    /// If the last line is torn, that entry is missing, and all others are read.
    @MainActor private static func checkTorn(_ entries: [HistoryEntry]) {
        guard let last = entries.last else { return }
        let others = entries.dropLast().flatMap { HistoryLine.bytes(of: $0) }
        let line = HistoryLine.bytes(of: last)
        let readings = HistoryLine.readings(of: others + line.prefix(line.count / 2))
        demand(readings.count == entries.count && readings.last == .damaged, "a torn line was read")
    }

    /// The last events are found if the file is read in pieces, and their times are valid whatever the time
    /// is now.
    @MainActor private static func checkPast(_ file: [UInt8], _ entries: [HistoryEntry]) {
        var search = PastEventsSearch()
        let piece = 100
        for begin in stride(from: 0, to: file.count, by: piece) {
            search.take(Array(file[begin..<min(begin + piece, file.count)]))
        }
        let past = search.end()
        let last = entries.last { if case .acted = $0.what { true } else { false } }
        demand(past.action?.moment.at == last?.at, "\(past) is not the last")
        checkOutage(past, Timeline(of: "wlan0", entries))
        let present = Timestamp(wall: 1_800_000_000_000, boot: "now", sinceBoot: 1000)
        for moment in [
            past.action?.moment, past.outage?.begin, past.outage?.end, past.sickSince, past.reboot,
        ] {
            demand(moment.map { $0.instant(at: present) <= .boot + .seconds(1) } ?? true, "in the future")
        }
    }

    /// The search and the timeline find the same last outage.
    @MainActor private static func checkOutage(_ past: PastEvents, _ timeline: Timeline) {
        func time(_ moment: PastMoment?) -> Int64? {
            moment.map { ($0.bootBegin + $0.at.sinceBoot).clamped(to: Timestamp.wallTimes) }
        }
        let open = timeline.outages.last { $0.how == nil }
        demand(past.sickSince == nil ? open == nil : open != nil, "not over: \(past), \(timeline.outages)")
        let over = timeline.outages.last { $0.how != nil }
        demand(past.outage == nil ? over == nil : over != nil, "over: \(past), \(timeline.outages)")
        demand(over.map { $0.duration >= .zero } ?? true, "negative")
        guard let over, let end = time(past.outage?.end), let begin = time(past.outage?.begin) else { return }
        demand(over.end.map { $0 >= end && $0 >= over.begin } ?? false, "\(end) is not the end of \(over)")
        demand(begin >= 0, "\(begin)")
    }

    /// The usual values that `doctor` reports were measured, in samples of this boot and of the last day.
    @MainActor private static func checkRoundTrips(_ file: [UInt8], _ entries: [HistoryEntry]) {
        for entry in entries {
            guard case .sampled = entry.what else { continue }
            checkRoundTrips(file, entries, now: entry.at)
        }
        let later = Timestamp(wall: 1_800_000_000_000, boot: "another", sinceBoot: 1000)
        let isOfAnother = entries.contains { $0.at.boot == later.boot }
        demand(isOfAnother || RecentSamples(file, at: later).gatewayRoundTrips == nil, "of another boot")
    }

    @MainActor private static func checkRoundTrips(
        _ file: [UInt8], _ entries: [HistoryEntry], now: Timestamp
    ) {
        guard let usual = RecentSamples(file, at: now).gatewayRoundTrips else { return }
        let day: Int64 = 86_400_000
        let samples = entries.compactMap { entry -> HistorySample? in
            guard case .sampled(let sample) = entry.what, entry.condition == .healthy,
                entry.at.boot == now.boot, now.sinceBoot - day...now.sinceBoot ~= entry.at.sinceBoot
            else { return nil }
            return sample
        }
        let measured = samples.compactMap(\.roundTrip)
        demand(usual.quarters == measured.count, "\(usual.quarters) quarters of \(measured.count)")
        demand(usual.least <= usual.median && usual.median <= usual.most, "out of order: \(usual)")
        let isMeasured = { (duration: Duration, part: KeyPath<HistorySample.Spread, Int64>) in
            measured.contains { .microseconds($0[keyPath: part]) == duration }
        }
        demand(isMeasured(usual.least, \.least), "never measured: \(usual.least)")
        demand(isMeasured(usual.median, \.median), "never measured: \(usual.median)")
        demand(isMeasured(usual.most, \.most), "never measured: \(usual.most)")
        guard let signal = usual.signal else { return }
        demand(samples.contains { $0.signal?.median == Int64(signal) }, "never measured: \(signal) dBm")
    }

    @MainActor private static func checkShown(_ entries: [HistoryEntry]) {
        let timeline = Timeline(of: entries.first?.interface ?? "wlan0", entries)
        demand(timeline.outages.allSatisfy { $0.duration >= .zero }, "less than nothing")
        let instants = timeline.spans.flatMap { [$0.begin, $0.end] }
        demand(instants == instants.sorted(), "spans over each other")
        let late = timeline.since(entries.first?.at.wall ?? 0)
        for timeline in [timeline, late] {
            let text = HistoryText(timeline, isVerbose: true, wallTime: String.init)
            demand(!text.lines.isEmpty, "not a line")
            for json in HistoryJSON.objects(timeline, wallTime: String.init) { demandPrintable(json.line) }
        }
        guard !entries.isEmpty else { return }
        let heading: HistoryPage.Heading = (version: "fuzz", now: 0, since: 0)
        checkPage(HistoryPage([timeline], heading, String.init).text)
    }

    /// The page has no element that a text from outside made, and no text has control characters.
    private static func checkPage(_ page: String) {
        for line in page.utf8.split(separator: UInt8(ascii: "\n")) {
            demandPrintable(String(line) ?? "\n")
        }
        let names = page.utf8.split(separator: UInt8(ascii: "<")).dropFirst().map { piece in
            String(piece.prefix { $0 > UInt8(ascii: " ") && $0 != UInt8(ascii: ">") }) ?? "?"
        }
        for name in names {
            let plain = name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
            demand(plain && name != "script" && name != "img", "an element '\(name)'")
        }
    }

    /// A line with a correct checksum.
    @MainActor static func sealed(_ line: ArraySlice<UInt8>) -> [UInt8] {
        let digits = String(Checksum.of(line), radix: 16)
        let zeros = String(repeating: "0", count: 8 - digits.count)
        return Array("\(zeros)\(digits) ".utf8) + line + [UInt8(ascii: "\n")]
    }
}
