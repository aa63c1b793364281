import Model
import Testing

@testable import Invocation

@Suite("Durations as text")
struct DurationTextTests {
    @Test(
        "a duration is read in the usual notations",
        arguments: [
            ("500ms", .milliseconds(500)), ("3s", .seconds(3)), ("2m", .seconds(120)), ("1h", .seconds(3600)),
            ("1h30m", .seconds(5400)), ("1d", .seconds(86400)), ("1d2h3m4s5ms", .milliseconds(93_784_005)),
            ("90", .seconds(90)), ("0", .zero), ("0s", .zero), ("1.5s", .milliseconds(1500)),
            ("1.5", .milliseconds(1500)), ("0.5h", .seconds(1800)), ("1m0.25s", .milliseconds(60_250)),
            ("0.000000001s", .nanoseconds(1)), ("007s", .seconds(7)), ("1h0m", .seconds(3600)),
        ] as [(String, Duration)])
    func reads(text: String, duration: Duration) throws {
        #expect(try DurationText.parse(text) == duration)
    }

    @Test(
        "text that is not a duration is refused",
        arguments: [
            "", " ", "s", "-1s", "+1s", "1 s", " 1s", "1s ", "1x", "1sec", "1S", "1m1m", "1s1m", "5ms1s",
            "1h30", "30m5", ".5s", "1.s", "1.5.5s", "1.5m30s", "0.0000000001s", "1e3", "0x10", "١s", "1s\0",
            "∞", "nan", "1us",
        ])
    func refuses(text: String) {
        #expect(throws: DurationText.ParseError.malformed) { try DurationText.parse(text) }
    }

    @Test(
        "a duration of more than 292 years is refused as too large, without a crash",
        arguments: [
            "9223372037s", "106752d", "99999999999999999999999999999999999999s", "9223372036854775807d",
            "106751d24h", "9223372036854775807d9223372036854775807h",
        ])
    func refusesTooLarge(text: String) {
        #expect(throws: DurationText.ParseError.tooLarge) { try DurationText.parse(text) }
    }

    @Test(
        "a duration is written in the largest units, but below two minutes in seconds or milliseconds alone",
        arguments: [
            (.zero, "0s"), (.milliseconds(1), "1ms"), (.milliseconds(999), "999ms"), (.seconds(60), "60s"),
            (.milliseconds(1500), "1.5s"), (.seconds(119), "119s"), (.seconds(120), "2m"),
            (.seconds(150), "2m30s"), (.seconds(3600), "1h"), (.seconds(5400), "1h30m"),
            (.seconds(86400 * 30), "30d"), (.microseconds(500), "0.5ms"), (.milliseconds(120_250), "2m0.25s"),
            (.seconds(-3), "-3s"),
        ] as [(Duration, String)])
    func writes(duration: Duration, text: String) {
        #expect(DurationText.format(duration) == text)
    }

    @Test("a duration that was written is read back the same")
    func roundTrip() throws {
        var random = SplitMix64(state: 7)
        for _ in 0..<10_000 {
            let bits = Int64.random(in: 0...62, using: &random)
            let duration = Duration.nanoseconds(Int64.random(in: 0...Int64.max, using: &random) >> bits)
            let text = DurationText.format(duration)
            try #require(try DurationText.parse(text) == duration, "\(text)")
        }
    }
}
