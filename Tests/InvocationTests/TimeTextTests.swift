import Testing

@testable import Invocation

@Suite("Points in time as text")
struct TimeTextTests {
    @Test(
        "a point in time is read in the usual notations",
        arguments: [
            ("2h", .ago(.seconds(7200))), ("7d", .ago(.seconds(604_800))), ("90", .ago(.seconds(90))),
            ("0", .ago(.zero)), ("1970-01-01", .at(0)), ("1970-01-02", .at(86400)),
            ("2000-02-29", .at(951_782_400)), ("2026-02-03", .at(1_770_076_800)),
            ("2026-02-03T04:05:06Z", .at(1_770_091_506)), ("2026-02-03t04:05:06z", .at(1_770_091_506)),
            ("2026-02-03 04:05:06Z", .at(1_770_091_506)),
            ("2026-02-03T05:05:06.789+01:00", .at(1_770_091_506)),
            ("2026-02-02T22:35:06-05:30", .at(1_770_091_506)),
            ("2100-03-01", .at(4_107_542_400)), ("9999-12-31T23:59:60Z", .at(253_402_300_800)),
        ] as [(String, TimeText.Value)])
    func reads(text: String, value: TimeText.Value) throws {
        #expect(try TimeText.parse(text) == value)
    }

    @Test(
        "text that is not a point in time is refused",
        arguments: [
            "", " ", "now", "yesterday", "-2h", "2026-2-3", "2026-02-30", "2025-02-29", "2100-02-29",
            "1969-12-31", "2026-13-01", "2026-00-01", "2026-01-00", "2026-02-03T", "2026-02-03T04:05Z",
            "2026-02-03T04:05:06", "2026-02-03T24:00:00Z", "2026-02-03T04:60:00Z", "2026-02-03T04:05:06.Z",
            "2026-02-03T04:05:06+1:00", "2026-02-03T04:05:06+24:00", "2026-02-03T04:05:06Z ",
            "２０２６-02-03", "2026-02-03\r\n",
        ])
    func refuses(text: String) {
        #expect(throws: ValueProblem.notAMoment) { try TimeText.parse(text) }
    }

    @Test("a duration of more than a century is refused as too long")
    func long() {
        #expect(throws: ValueProblem.tooLong(.seconds(36525 * 86400))) { try TimeText.parse("36526d") }
    }
}
