import Testing

@testable import Model
@testable import Toggling

@Suite("The window of the last probes") struct QualityWindowTests {
    private static let echo = ProbeRequest.Question.icmp(.address(Sample.gateway))
    private static let network = Network(Sample.kernelState())

    /// A window with these probes, by default one a minute: milliseconds to each answer, or nil for no
    /// answer.
    private static func window(
        of probes: [Int64?], every pace: Duration = .seconds(60),
        _ change: (inout Settings) -> Void = { _ in }
    ) -> (window: QualityWindow, settings: Settings) {
        var window = QualityWindow()
        let settings = Sample.settings(change)
        for (number, answer) in probes.enumerated() {
            window.take(answer, at: .seconds(1000) + pace * number, settings)
        }
        return (window, settings)
    }

    private static func quality(
        of probes: [Int64?], every pace: Duration = .seconds(60),
        _ change: (inout Settings) -> Void = { _ in }
    ) -> Quality? {
        let (window, settings) = window(of: probes, every: pace, change)
        return window.quality(settings)
    }

    /// So many probes, of which `lost` are lost at even distances; the others are answered after 5 ms.
    private static func probes(_ count: Int, losing lost: Int) -> [Int64?] {
        // The first probe is answered: losses of a target that has never answered do not count.
        (0..<count).map { ($0 + 1) * lost / count > $0 * lost / count ? nil : 5 }
    }

    @Test("with fewer than ten probes the quality is unknown")
    func enough() {
        #expect(Self.quality(of: Self.probes(9, losing: 4)) == nil)
        #expect(Self.quality(of: Self.probes(10, losing: 4))?.lost == 4)
    }

    @Test(
        "a link that loses a fifth of its probes is degraded by loss, one that loses less is not",
        arguments: [(0, false), (1, false), (3, false), (4, true), (19, true)])
    func loss(lost: Int, isDegraded: Bool) throws {
        let quality = try #require(Self.quality(of: Self.probes(20, losing: lost)))
        #expect(quality.probes == 20 && quality.lost == lost && quality.lossPercent == lost * 5)
        #expect(quality.degradations == (isDegraded ? [.loss] : []))
        #expect(quality.roundTrip == .milliseconds(5))
    }

    @Test("with a threshold of one per cent, one lost probe of twenty is too many")
    func leastLoss() throws {
        let settings: (inout Settings) -> Void = { ($0.degradedLoss, $0.degradedLatency) = (1, .zero) }
        let quality = try #require(Self.quality(of: Self.probes(20, losing: 1), settings))
        #expect(quality.degradations == [.loss])
    }

    @Test(
        "a median of half a second degrades a link by latency, a few slow answers do not",
        arguments: [(499, 20, false), (500, 20, true), (1900, 11, true), (1900, 10, false), (1900, 3, false)])
    func latency(milliseconds: Int64, slow: Int, isDegraded: Bool) throws {
        let probes =
            Array(repeating: milliseconds as Int64?, count: slow) + Array(repeating: 5, count: 20 - slow)
        let quality = try #require(Self.quality(of: probes.shuffled()))
        #expect(quality.degradations == (isDegraded ? [.latency] : []), "\(probes)")
    }

    @Test("a link can be degraded by loss and latency at once")
    func both() {
        let probes: [Int64?] = [700, nil, 700, nil, 700, nil, 700, 700, 700, 700, 700]
        #expect(Self.quality(of: probes)?.degradations == [.loss, .latency])
    }

    @Test("a degraded link is fine again only below half of the threshold")
    func hysteresis() {
        // Six of twenty probes are lost, and then none. The lost ones leave the window one by one.
        var (window, settings) = Self.window(of: Self.probes(20, losing: 6))
        var conditions: [Int: Bool] = [:]
        for number in 20..<40 {
            window.take(5, at: .seconds(1000) + .seconds(60) * number, settings)
            guard let quality = window.quality(settings) else { continue }
            conditions[quality.lost] = quality.isDegraded
        }
        #expect(conditions == [5: true, 4: true, 3: true, 2: true, 1: false, 0: false, 6: true])
        var (slow, other) = Self.window(of: Array(repeating: 600, count: 20))
        for (answer, isDegraded) in [(300 as Int64, true), (240, false), (300, false), (600, true)] {
            for number in 0..<20 { slow.take(answer, at: .seconds(5000) + .seconds(number), other) }
            #expect(slow.quality(other)?.isDegraded == isDegraded, "\(answer)")
        }
        other.degradedLatency = .zero
        slow.take(600, at: .seconds(5020), other)
        #expect(slow.quality(other)?.isDegraded == false)
    }

    @Test("at most twenty probes count, and none older than an hour")
    func bounds() {
        #expect(Self.quality(of: [nil, nil, nil, nil] + Self.probes(20, losing: 0))?.probes == 20)
        #expect(Self.quality(of: Self.probes(40, losing: 0))?.probes == 20)
        #expect(Self.quality(of: Self.probes(40, losing: 0), every: .seconds(300))?.probes == 12)
        #expect(Self.quality(of: Self.probes(40, losing: 0), every: .seconds(600)) == nil)
    }

    @Test("the silence of a target that has never answered does not count")
    func filtered() throws {
        var (window, settings) = Self.window(of: Self.probes(10, losing: 0))
        let filtered = QualityWindow.Outcome(
            question: .icmp(.address(Sample.otherGateway)), roundTrip: nil, at: .seconds(2000))
        window.take(
            Array(repeating: filtered, count: 8), in: Self.network, isSick: false, isOutage: false,
            settings: settings, at: .seconds(2000))
        let quality = try #require(window.quality(settings))
        #expect(quality.lost == 0 && quality.probes == 10)
    }

    @Test("losses in an outage do not count, but losses in a streak that ended before an outage do")
    func outages() {
        for isOutage in [true, false] {
            var (window, settings) = Self.window(of: Self.probes(16, losing: 0))
            let now = Instant.seconds(3000)
            for _ in 0..<3 { window.take(nil, at: now, settings, isSick: true) }
            #expect(window.quality(settings)?.lost == 0, "not known yet")
            if isOutage { window.take(nil, at: now, settings, isSick: true, isOutage: true) }
            window.take(5, at: now, settings)
            #expect(window.quality(settings)?.lost == (isOutage ? 0 : 3))
        }
    }

    @Test("another network resets the window, a new association in the same network does not")
    func networks() {
        var other = Sample.kernelState()
        other.wireless?.association?.ssid = SSID("elsewhere".utf8)
        var again = Sample.kernelState()
        again.wireless?.association?.bssid = MACAddress([2, 0, 0, 0, 0, 9])!
        for (kernelState, isForgotten) in [(other, true), (again, false)] {
            var (window, settings) = Self.window(of: Self.probes(20, losing: 6))
            let outcome = QualityWindow.Outcome(question: Self.echo, roundTrip: .zero, at: .seconds(2500))
            window.take(
                [outcome], in: Network(kernelState), isSick: false, isOutage: false, settings: settings,
                at: .seconds(2500))
            #expect((window.quality(settings) == nil) == isForgotten)
        }
    }

    /// Lost probes of twenty, and the least number of failed checks in a row whose probability is below
    /// 1/1000; at most ten.
    private static let rows = [
        (0, 1), (1, 3), (2, 4), (3, 4), (4, 5), (5, 5), (6, 6), (7, 7), (8, 8), (9, 9), (10, 10), (15, 10),
        (19, 10),
    ]

    @Test("a streak of lost probes must be longer than random loss explains", arguments: rows)
    func chance(lost: Int, row: Int) {
        let (window, settings) = Self.window(of: Self.probes(20, losing: lost))
        #expect(window.streakBeyondChance(settings) == row)
        #expect(window.quality(settings)?.streakBeyondChance == row)
        if row < Quality.longestStreak {
            var chance = 1.0
            for _ in 0..<row { chance *= Double(lost) / 20 }
            #expect(chance < 0.001)
        }
    }

    @Test("a threshold of 0 disables its degradation, and with both thresholds at 0 nothing is recorded")
    func off() {
        let probes: [Int64?] = [700, nil, 700, nil, 700, nil, 700, nil, 700, nil, 700]
        let withoutLoss = Self.window(of: probes) { $0.degradedLoss = 0 }
        #expect(withoutLoss.window.quality(withoutLoss.settings)?.degradations == [.latency])
        #expect(withoutLoss.window.streakBeyondChance(withoutLoss.settings) == 1)
        #expect(Self.quality(of: probes) { $0.degradedLatency = .zero }?.degradations == [.loss])
        let without = Self.window(of: probes) {
            $0.degradedLoss = 0
            $0.degradedLatency = .zero
        }
        #expect(without.window == QualityWindow())
    }

    @Test("power saving is queried if answers are slow, and its state is dropped once they are fast")
    func powerSave() {
        var (window, settings) = Self.window(of: Self.probes(20, losing: 6))
        #expect(!window.asksForPowerSave(settings))
        window.take(600, at: .seconds(2200), settings)
        #expect(window.asksForPowerSave(settings), "the next check may find it slow")
        window.savesPower = true
        #expect(window.quality(settings)?.savesPower == nil, "it is not slow")
        for _ in 0..<20 { window.take(600, at: .seconds(2200), settings) }
        #expect(window.quality(settings)?.savesPower == true)
        for _ in 0..<20 { window.take(5, at: .seconds(2300), settings) }
        #expect(!window.asksForPowerSave(settings))
        for _ in 0..<20 { window.take(600, at: .seconds(2400), settings) }
        #expect(window.quality(settings)?.savesPower == nil)
        settings.degradedLatency = .zero
        #expect(!window.asksForPowerSave(settings))
    }

    @Test("a probe of a check counts only if it was sent over the link")
    func outcomes() {
        let settings = Sample.settings {
            $0.probes = [
                ProbeSpec(.icmp(.name("a"))), ProbeSpec(.icmp(.name("b"))), ProbeSpec(.icmp(.name("c"))),
                ProbeSpec(.icmp(.name("d")), isRequired: true), ProbeSpec(.command(path: "/check")),
            ]
        }
        var check = HealthCheck(number: 1, begun: .seconds(1), scope: .full, settings: settings)
        _ = check.kernelStateRead(Sample.kernelState(), at: .seconds(1))
        let results: [ProbeResult] = [
            Sample.answered, Sample.silent, Sample.blocked,
            .refuted(layer: .internet, roundTrip: .milliseconds(7), detail: "no"), Sample.answered,
        ]
        for (id, result) in zip(check.rounds.outstanding, results) { _ = check.probeFinished(id, result) }
        let outcomes = check.outcomes(at: .seconds(2))
        #expect(
            outcomes == [
                QualityWindow.Outcome(
                    question: .icmp(.name("a")), roundTrip: .milliseconds(3), at: .seconds(2)),
                QualityWindow.Outcome(question: .icmp(.name("b")), roundTrip: nil, at: .seconds(2)),
                QualityWindow.Outcome(
                    question: .icmp(.name("d")), roundTrip: .milliseconds(7), at: .seconds(2)),
            ])
    }
}

extension QualityWindow {
    /// Takes one echo, answered after this many milliseconds; nil: lost.
    fileprivate mutating func take(
        _ answer: Int64?, at now: Instant, _ settings: Settings, isSick: Bool = false, isOutage: Bool = false
    ) {
        let outcome = Outcome(
            question: .icmp(.address(Sample.gateway)), roundTrip: answer.map { .milliseconds($0) }, at: now)
        take(
            [outcome], in: Network(Sample.kernelState()), isSick: isSick, isOutage: isOutage,
            settings: settings,
            at: now)
    }
}
