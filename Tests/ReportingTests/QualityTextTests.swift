import Model
import Testing

@testable import Reporting
@testable import Toggling

@Suite("The text about a link's quality") struct QualityTextTests {
    private static let now = Instant(nanoseconds: 0)
    private static let gateway = IPAddress("192.0.2.1")!
    private static let fine = Quality(probes: 20, lost: 1, roundTrip: .milliseconds(3))
    private static let lossy = Quality(
        probes: 20, lost: 6, roundTrip: .milliseconds(12), degradations: [.loss], streakBeyondChance: 6)
    private static let slow = Quality(
        probes: 18, lost: 0, roundTrip: .milliseconds(612), degradations: [.latency])
    private static let both = Quality(
        probes: 20, lost: 8, roundTrip: .milliseconds(700), degradations: [.loss, .latency], savesPower: true,
        streakBeyondChance: 8)

    private static func cycle(_ quality: Quality?, _ verdict: Verdict = healthy) -> CycleReport {
        CycleReport(
            verdict: verdict, action: .none,
            change: HealthChange(before: .healthy, after: .healthy, streak: 1),
            next: NextCheck(at: now + .seconds(60), why: .schedule), quality: quality)
    }

    private static let healthy = Verdict(.healthy, reason: .probeAnswered(.neighbour(gateway)))
    private static let silent = Verdict(.sick, layer: .gateway, reason: .gatewaySilent([gateway]))

    /// The lines about quality, check by check, while the verdict stays the same.
    private static func news(_ qualities: [Quality?]) -> [[Line]] {
        var formatter = LogFormatter(verbosity: .normal)
        _ = formatter.lines(for: .cycle(cycle(nil)), interface: "wlan0", at: now)
        return qualities.map { formatter.lines(for: .cycle(cycle($0)), interface: "wlan0", at: now) }
    }

    @Test("a change of quality is logged as one line with the numbers, and no change is not logged")
    func changes() {
        let lossy = Line(
            .warning, "wlan0: degraded by loss: 6 of the last 20 probes lost, median round trip 12ms")
        let over = Line(
            .notice, "wlan0: no longer degraded: 1 of the last 20 probes lost, median round trip 3ms")
        #expect(
            Self.news([Self.fine, Self.lossy, Self.lossy, Self.fine, Self.fine]) == [
                [], [lossy], [], [over], [],
            ])
    }

    @Test("each degradation is named, and power saving too once it is known to be on")
    func degradations() {
        var known = Self.slow
        known.savesPower = true
        var off = Self.slow
        off.savesPower = false
        let words = "wlan0: degraded by latency: 0 of the last 18 probes lost, median round trip 612ms"
        #expect(Self.news([Self.slow]) == [[Line(.warning, words)]])
        #expect(Self.news([off]) == [[Line(.warning, words)]])
        #expect(
            Self.news([Self.slow, known, known]) == [
                [Line(.warning, words)], [Line(.warning, words + "; power saving is on")], [],
            ])
        #expect(
            Self.news([Self.both]) == [
                [
                    Line(
                        .warning,
                        "wlan0: degraded by loss and latency: 8 of the last 20 probes lost, median round trip"
                            + " 700ms; power saving is on")
                ]
            ])
    }

    @Test("if the quality becomes unknown, no end of the degradation is logged")
    func forgotten() {
        #expect(Self.news([Self.lossy, nil, Self.fine]).map(\.count) == [1, 0, 0])
        #expect(Self.news([Self.lossy, nil, Self.lossy]).map(\.count) == [1, 0, 1])
    }

    @Test("the key `degraded` of a cycle lists the degradations, and is null without any")
    func record() {
        func degraded(_ quality: Quality?) -> String? {
            Record(.cycle(Self.cycle(quality)), about: "wlan0", at: Self.now)
                .json(wallTime: { _ in "N" })["degraded"]?.line
        }
        #expect(degraded(nil) == "null" && degraded(Self.fine) == "null")
        #expect(
            degraded(Self.lossy)
                == #"{"by":["loss"],"probes":20,"lost":6,"loss_percent":30,"rtt_ms":12,"power_save":null}"#)
        #expect(
            degraded(Self.both)
                == #"{"by":["loss","latency"],"probes":20,"lost":8,"loss_percent":40,"rtt_ms":700,"power_save":true}"#
        )
    }

    private static func tree(_ quality: Quality?, _ verdict: Verdict = healthy) -> [String] {
        Explanation(
            verdict, change: HealthChange(before: .healthy, after: .healthy, streak: 1), settings: Settings(),
            quality: quality
        ).lines
    }

    @Test("the explanation shows the quality below the layers, with its effect on silent probes")
    func explanation() throws {
        #expect(Self.tree(nil).count == 4)
        let fine = Self.tree(Self.fine)
        #expect(fine.count == 5)
        #expect(fine[1] == "|- quality: fine (1 of the last 20 probes lost, median round trip 3ms)")
        #expect(fine[4] == "`- what would change it: 3 sick verdicts in a row")
        let both = Self.tree(Self.both)
        #expect(
            both[1]
                == "|- quality: degraded by loss and latency (8 of the last 20 probes lost, median round trip"
                + " 700ms, power saving is on)")
        #expect(
            both[4]
                == "`- what would change it: 3 sick verdicts in a row, 8 if their only evidence is silence")
        #expect(
            Self.tree(Self.lossy, Self.silent).last
                == "`- what would change it: a reply from 192.0.2.1 would make it healthy; 5 more such verdicts"
                + " in a row would call for a bounce, more than usual, because this link loses many packets by chance"
        )
        let echo = Verdict(
            .sick, layer: .gateway, reason: .gatewayEchoSilent([Self.gateway], over: .seconds(300)))
        #expect(
            Self.tree(nil, echo).last!.hasSuffix(
                "; 9 more such verdicts in a row would call for a bounce, more than usual, because the gateway"
                    + " still answers the neighbour probe"))
        let noAddress = Verdict(.sick, layer: .address, reason: .noAddress)
        #expect(
            Self.tree(Self.lossy, noAddress).last!.hasSuffix(
                "; 2 more such verdicts in a row would call for a bounce"))
    }
}
