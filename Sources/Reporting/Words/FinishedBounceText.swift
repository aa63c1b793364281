import Model

extension FinishedBounce {
    /// The process that finished the bounce.
    public enum Finisher: Sendable {
        /// The guard, because the program died.
        case guardOfTheDead
        /// The guard, because the program did not raise the link in time.
        case guardOfTheLate
        /// The command `repair`, or the next start of the program.
        case repair
    }

    /// The lines about the finished bounce, each beginning with the interface's name.
    public func lines(by finisher: Finisher, interface: String) -> [Line] {
        ([line(finisher)] + (restoration?.lines ?? [])).map { Line($0.level, "\(interface): \($0.text)") }
    }

    /// What became of the lost items; nil: the link is not up.
    public var restoration: Restoration? {
        if case .finished(_, let restoration) = self { restoration } else { nil }
    }

    private func line(_ finisher: Finisher) -> Line {
        let what = finisher.what
        return switch self {
        case .gone: Line(.notice, "\(what); the interface is gone: nothing to raise")
        case .leftDown: Line(.notice, "\(what); someone else has set the link down since then: it stays down")
        case .notRaised(let failure):
            Line(.error, "\(what); " + failure.description(after: "could not raise the link"))
        case .finished(wasDown: true, _): Line(.warning, "\(what); \(finisher.who) raised the link")
        case .finished(wasDown: false, _): Line(.warning, "\(what); the link is up")
        }
    }

    /// The JSON object of the finished bounce.
    public func json(interface: String, time: String) -> JSONText {
        .object([
            ("time", .string(time)), ("interface", .string(interface)), ("repair", .string(word)),
            ("lost", .array((restoration?.lost ?? []).map { .string($0) })),
            ("restored", .array((restoration?.restored ?? []).map { .string($0) })),
            ("refused", (restoration ?? Restoration()).refusedJSON),
        ])
    }

    private var word: String {
        switch self {
        case .gone: "gone"
        case .leftDown: "left down"
        case .notRaised: "not raised"
        case .finished(wasDown: true, _): "raised"
        case .finished(wasDown: false, _): "up"
        }
    }
}

extension FinishedBounce.Finisher {
    fileprivate var what: String {
        switch self {
        case .guardOfTheDead: "the program died in the middle of a bounce"
        case .guardOfTheLate: "the program did not raise the link in time"
        case .repair: "a bounce was not finished"
        }
    }

    fileprivate var who: String { self == .repair ? "repair" : "its guard" }
}

extension Restoration {
    /// The lines about items that were restored, that could not be restored, and that the owner has not
    /// restored.
    var lines: [Line] {
        let known = Set(restored + refused.map(\.description))
        return restored.map { Line(.notice, "restored: \($0)") }
            + refused.map {
                // Only an item of another interface is refused without an error number.
                let remedy = $0.failure.code == 0 ? "" : " (add it again by hand)"
                return Line(
                    .error, "could not restore \($0.description): \($0.failure.description)\(remedy)")
            }
            + lost.filter { !known.contains($0) }.map { Line(.warning, "still missing: \($0)") }
    }
}
