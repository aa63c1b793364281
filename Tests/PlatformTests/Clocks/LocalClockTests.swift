import Foundation
import Testing

@testable import Platform

@Suite("The local wall clock") struct LocalClockTests {
    /// A day in summer and one in winter, the two days of 2026 on which European clocks change, the last
    /// second of 28 February 2024, and the epoch.
    private static let instants: [Int64] = [
        1_753_012_345, 1_768_912_345, 1_774_746_000, 1_792_890_000, 1_709_164_799, 0,
    ]

    @Test("day and minute are those of the local calendar", arguments: instants)
    func reading(seconds: Int64) {
        let clock = LocalClock(seconds: seconds)
        let date = Date(timeIntervalSince1970: TimeInterval(seconds))
        let parts = Calendar.current.dateComponents([.weekday, .hour, .minute], from: date)
        #expect(clock.weekday + 1 == parts.weekday)
        #expect(clock.minute == (parts.hour ?? 0) * 60 + (parts.minute ?? 0))
    }

    @Test("the time until a later minute ends when the clock shows that minute", arguments: instants)
    func duration(seconds: Int64) {
        let clock = LocalClock(seconds: seconds)
        for ahead in [1, 59, 1439, 3 * 1440, 7 * 1440] {
            let duration = clock.duration(untilMinute: clock.minute + ahead)
            let there = LocalClock(seconds: seconds + duration.components.seconds)
            #expect(there.minute == (clock.minute + ahead) % 1440, "\(ahead)")
            #expect(duration > .zero && duration <= .seconds((ahead + 120) * 60), "\(ahead)")
        }
    }

    @Test("the current time lies between two readings")
    func now() {
        let before = LocalClock(seconds: Int64(Date().timeIntervalSince1970)).minute
        let now = LocalClock().minute
        let after = LocalClock(seconds: Int64(Date().timeIntervalSince1970)).minute
        #expect(now == before || now == after)
    }
}
