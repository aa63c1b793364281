import Testing

@testable import Model
@testable import Toggling

@Suite("Quiet windows") struct QuietWindowTests {
    private static let night = QuietWindow(start: 22 * 60, end: 6 * 60 + 30)
    private static let office = QuietWindow(
        days: [.monday, .tuesday, .wednesday, .thursday, .friday], start: 8 * 60, end: 18 * 60)
    private static let weekend = QuietWindow(days: [.saturday, .sunday], start: 0, end: 1440)
    private static let fridayNight = QuietWindow(days: [.friday], start: 23 * 60, end: 60)

    @Test(
        "a window is quiet from its first minute to its last, also across midnight",
        arguments: [
            (night, QuietWindow.Weekday.monday, "21:59", nil), (night, .monday, "22:00", "30:30"),
            (night, .monday, "23:59", "30:30"), (night, .monday, "00:00", "06:30"),
            (night, .monday, "06:29", "06:30"), (night, .monday, "06:30", nil),
            (office, .sunday, "12:00", nil), (office, .friday, "08:00", "18:00"),
            (office, .saturday, "08:00", nil), (weekend, .saturday, "00:00", "48:00"),
            (weekend, .sunday, "12:00", "24:00"), (weekend, .monday, "00:00", nil),
            (fridayNight, .saturday, "00:59", "01:00"), (fridayNight, .saturday, "23:30", nil),
            (fridayNight, .friday, "00:30", nil),
        ] as [(QuietWindow, QuietWindow.Weekday, String, String?)])
    func one(window: QuietWindow, day: QuietWindow.Weekday, at: String, end: String?) {
        #expect(QuietWindow.end(of: [window], on: day, at: Self.minute(at)) == end.map(Self.minute))
    }

    @Test("windows that overlap or adjoin count as one window")
    func several() {
        let windows = [Self.night, Self.office, QuietWindow(start: 6 * 60 + 30, end: 9 * 60)]
        #expect(QuietWindow.end(of: windows, on: .monday, at: 23 * 60) == Self.minute("42:00"))
        #expect(QuietWindow.end(of: windows, on: .friday, at: 23 * 60) == Self.minute("33:00"))
        #expect(QuietWindow.end(of: windows, on: .monday, at: 18 * 60) == nil)
    }

    @Test("a window that covers every whole day ends a week ahead", arguments: [0, 719, 1439])
    func always(minute: Int) {
        let always = [QuietWindow(start: 0, end: 1440)]
        for day in QuietWindow.Weekday.allCases {
            #expect(QuietWindow.end(of: always, on: day, at: minute) == minute + 7 * 1440)
        }
    }

    @Test("without a window there are no quiet hours")
    func none() { #expect(QuietWindow.end(of: [], on: .monday, at: 0) == nil) }

    /// The minute of a text `HH:MM`, in which hours beyond 23 are on the following days.
    private static func minute(_ text: String) -> Int {
        let parts = text.split(separator: ":").compactMap { Int($0) }
        return parts[0] * 60 + parts[1]
    }
}
