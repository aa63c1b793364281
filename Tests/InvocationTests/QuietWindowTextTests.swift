import Model
import Testing

@testable import Invocation

@Suite("Quiet hours as text") struct QuietWindowTextTests {
    private static let weekdays: Set<QuietWindow.Weekday> = [
        .monday, .tuesday, .wednesday, .thursday, .friday,
    ]

    @Test(
        "times, days and ranges of days are read",
        arguments: [
            ("22:00-06:30", QuietWindow(start: 1320, end: 390)),
            ("mon-fri 08:00-18:00", QuietWindow(days: weekdays, start: 480, end: 1080)),
            ("sat,sun 00:00-24:00", QuietWindow(days: [.saturday, .sunday], start: 0, end: 1440)),
            (
                "Fri-MON  9:05-9:06",
                QuietWindow(days: [.friday, .saturday, .sunday, .monday], start: 545, end: 546)
            ),
            ("wed\t23:59-00:01", QuietWindow(days: [.wednesday], start: 1439, end: 1)),
            ("sat, sun 00:00-24:00", QuietWindow(days: [.saturday, .sunday], start: 0, end: 1440)),
            ("22:00-24:00", QuietWindow(start: 1320, end: 1440)),
        ])
    func good(text: String, window: QuietWindow) throws {
        #expect(try QuietWindowText.parse(text) == [window])
    }

    @Test(
        "several windows are separated by commas, which may also stand between days",
        arguments: [
            ("mon-fri 08:00-18:00, sat 10:00-12:00", [480, 600]), ("01:00-02:00,03:00-04:00", [60, 180]),
            ("sat, sun 05:00-06:00 ,wed,thu 07:00-08:00", [300, 420]), ("none", []),
        ])
    func several(text: String, starts: [Int]) throws {
        #expect(try QuietWindowText.parse(text).map(\.start) == starts)
    }

    @Test(
        "text that is not a window is refused with the reason",
        arguments: [
            ("", ValueProblem.notAWindow), ("22:00", .notAWindow), ("22:00-06:30-07:00", .notAWindow),
            ("mon 22:00-06:30 now", .notAWindow), ("mon", .notAWindow),
            ("22:00-", .notATime("")), ("22-6", .notATime("22")), ("22:00-6:5", .notATime("6:5")),
            ("22:00-06:30,", .notAWindow), (",22:00-06:30", .notATime(",22:00")),
            ("22:00-06:30, none", .notAWindow), ("none, 22:00-06:30", .notATime("none,22:00")),
            ("mon-fri 08:00-18:00, sat 10:00", .notAWindow),
            ("mon-fri 8-18, sat 10:00-12:00", .notATime("8")),
            ("24:00-06:00", .notATime("24:00")), ("22:00-24:01", .notATime("24:01")),
            ("08:60-09:00", .notATime("08:60")), ("+8:00-09:00", .notATime("+8:00")),
            ("22:00-00:00", .notATime("00:00")), ("08:00-08:00", .emptyWindow),
            ("mom 08:00-09:00", .unknownDay("mom", suggestion: "mon")),
            ("mon- 08:00-09:00", .unknownDay("", suggestion: nil)),
            ("mon-tue-wed 08:00-09:00", .unknownDay("tue-wed", suggestion: nil)),
        ])
    func bad(text: String, problem: ValueProblem) {
        #expect(throws: problem) { try QuietWindowText.parse(text) }
    }

    @Test("windows add up, `none` clears those before it, and a specific section replaces a general one's")
    @MainActor func layers() throws {
        func hours(_ words: String..., file: String = "[default]\nquiet-hours = 01:00-02:00\n") throws
            -> [Int]
        {
            let invocation = try Invocation.parse(["run"] + words.flatMap { ["--quiet-hours", $0] })
            guard case .perform(let request) = invocation else { return [] }
            let read = try ConfigurationFile.parse(file, path: "test")
            return request.settings(for: "wlan0", file: read).quietHours.map(\.start)
        }
        #expect(try hours() == [60])
        #expect(try hours("02:00-03:00", "03:00-04:00") == [120, 180])
        #expect(try hours("02:00-03:00, 03:00-04:00") == [120, 180])
        #expect(try hours("none").isEmpty)
        #expect(try hours("02:00-03:00", "none", "04:00-05:00") == [240])
        let lines = "[default]\nquiet-hours = sat,sun 01:00-02:00\nquiet-hours = 05:00-06:00 ; early\n"
        #expect(try hours(file: lines) == [60, 300])
        #expect(try hours(file: lines + "quiet-hours = mon-fri 08:00-18:00, sat 10:00-12:00\n").count == 4)
        #expect(try hours(file: lines + "[wlan0]\nquiet-hours = 07:00-08:00\n") == [420])
        #expect(try hours(file: lines + "[wlan0]\nquiet-hours = none\n").isEmpty)
    }

    @Test("the message about a mistake names the option, the value and an example")
    @MainActor func sentence() throws {
        do throws(UsageError) {
            _ = try Invocation.parse(["run", "--quiet-hours", "mo-fri 8-18"])
            Issue.record("taken")
        } catch {
            #expect(
                error.description == "--quiet-hours: 'mo-fri 8-18' names 'mo', which is no day of the week;"
                    + " did you mean 'mon'? (for example: --quiet-hours 'mon-fri 22:00-06:30')")
        }
    }
}
