import Foundation
import Testing

@testable import Platform

struct ClockTests {
    @Test(
        "a time is written as RFC 3339 in UTC with milliseconds",
        arguments: [
            (0, 0, "1970-01-01T00:00:00.000Z"),
            (1_709_210_096, 789_999_999, "2024-02-29T12:34:56.789Z"),
            (-1, 0, "1969-12-31T23:59:59.000Z"),
            (0, -1, "1969-12-31T23:59:59.999Z"),
            (0, -1_000_000_000, "1969-12-31T23:59:59.000Z"),
            (1, 2_500_000_000, "1970-01-01T00:00:03.500Z"),
            (253_402_300_799, 0, "9999-12-31T23:59:59.000Z"),
            (253_402_300_800, 0, "9999-12-31T23:59:59.999Z"),
            (.max, .max, "9999-12-31T23:59:59.999Z"),
            (-62_167_219_200, 0, "0000-01-01T00:00:00.000Z"),
            (.min, .min + 1_000_000_000, "0000-01-01T00:00:00.000Z"),
        ] as [(Int64, Int64, String)])
    func written(seconds: Int64, nanoseconds: Int64, expected: String) {
        #expect(WallClock.rfc3339(seconds: seconds, nanoseconds: nanoseconds) == expected)
    }

    @Test("a future time is written as far ahead as requested")
    func ahead() throws {
        let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        let duration: Duration = .milliseconds(90_500)
        let now = try format.parse(WallClock.rfc3339())
        let next = try format.parse(WallClock.rfc3339(in: duration))
        #expect((90.4...95).contains(next.timeIntervalSince(now)), "\(next) after \(now)")
        #expect(abs(now.timeIntervalSinceNow) < 5)
    }

    @Test("a suspend is detected once, and the delay between reading the two clocks is no suspend")
    func slept() {
        var meter = SuspendDetector(asleep: 1_000_000_000)
        let readings = [1.005, 1, 1.02, 1.02, 7].map { Int64($0 * 1e9) }
        let noticed = readings.map { meter.hasSlept(asleep: $0) }
        #expect(noticed == [false, false, true, false, true])
        var now = SuspendDetector()
        let hasSlept = now.hasSlept()
        #expect(!hasSlept)
    }

    @Test(
        "if reading the two clocks takes too long, they are read again, ten times in all at most",
        arguments: [
            // The time that each reading takes before and after CLOCK_BOOTTIME, in milliseconds.
            ([(0, 0)], 0, 1), ([(0, 1)], 0, 1), ([(20, 0), (0, 0)], 0, 2), ([(0, 20), (0, 1)], 0, 2),
            ([(20, 0), (1, 1), (30, 0), (2, 1), (3, 0)], 1, 10),
        ] as [([(Int64, Int64)], Int64, Int)])
    func slowReading(delays: [(Int64, Int64)], excess: Int64, readings: Int) {
        let (millisecond, asleep): (Int64, Int64) = (1_000_000, 7_000_000_000)
        var (time, count): (Int64, Int) = (5_000_000_000, 0)
        let boot = {
            let (before, after) = delays[count % delays.count]
            count += 1
            time += before * millisecond
            defer { time += after * millisecond }
            return time + asleep
        }
        let seen = SuspendDetector.asleep(monotonic: { time }, boot: boot)
        #expect(seen == asleep + excess * millisecond)
        #expect(count == readings)
    }

    @Test("the boot-time clock advances and is never behind the monotonic clock")
    func boot() {
        let monotonic = BootClock.monotonic()
        let first = BootClock.now()
        #expect(first >= monotonic)
        #expect(BootClock.now() >= first)
    }

    @Test("a failed system call is reported by its name and errno")
    func failed() {
        let error = #expect(throws: SystemError.self) { try check("close") { close(-1) } }
        #expect(error == SystemError(call: "close", code: EBADF))
        #expect(error?.description == "Bad file descriptor")
    }

    @Test("an interrupted system call is repeated")
    func interrupted() throws {
        var calls = 0
        let result = try check("read") {
            calls += 1
            errno = EINTR
            return calls < 3 ? -1 : 7
        }
        #expect(result == 7)
        #expect(calls == 3)
    }
}
