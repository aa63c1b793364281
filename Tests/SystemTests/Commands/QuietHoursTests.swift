import Foundation
import Glibc
import Testing

@Suite("Quiet hours", .needsRoot)
struct QuietHoursTests {
    private static let hour: TimeInterval = 3600

    /// `HH:MM` of a time, in UTC.
    private static func clock(_ date: Date) -> String {
        let parts = calendar.dateComponents([.hour, .minute], from: date)
        return String(format: "%02d:%02d", parts.hour ?? 0, parts.minute ?? 0)
    }

    private static var calendar: Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? .current
        return calendar
    }

    /// A window between two times in UTC, each given in hours after the present (negative: before it).
    private static func window(_ from: Double, _ to: Double) -> String {
        clock(Date() + from * hour) + "-" + clock(Date() + to * hour)
    }

    private func sickLink() throws -> VirtualLink {
        let link = try VirtualLink()
        try link.keepDefaultRoute()
        try link.cureFarEndByBounce()
        try link.muteFarEnd()
        return link
    }

    private static let quick = ReconnectTests.quick + ["--json", "--fall", "1"]

    @Test("reconnect does not bounce in quiet hours of the local time zone, and bounces outside them")
    func reconnect() throws {
        let link = try sickLink()
        let trace = try LinkTrace(link)
        let options = Self.quick + ["--quiet-hours", Self.window(-1, 2)]
        let held = try link.start("reconnect", options, environment: ["TZ": "UTC0"]).outcome()
        #expect(held.status == 1, "\(held)")
        #expect(held.objects.last?["action"] as? String == "held", "\(held)")
        #expect(
            (held.objects.last?["reason"] as? String)?.contains("quiet hours: no bounce for another 1h")
                == true,
            "\(held)")
        #expect(try trace.isUntouched())
        // In a time zone five hours to the east, the quiet hours are over.
        let bounced = try link.start("reconnect", options, environment: ["TZ": "AAA-5"]).outcome()
        #expect(bounced.status == 0, "\(bounced)")
        #expect(try trace.changes(atLeast: 2).map(\.isUp) == [false, true])
    }

    @Test("a toggle bounces in quiet hours")
    func toggle() throws {
        let link = try VirtualLink()
        try link.configure("[default]\nquiet-hours = 00:00-24:00\n")
        let trace = try LinkTrace(link)
        #expect(try link.run("toggle", ["--delay", "0", "--probe", "none"]).status == 0)
        #expect(try trace.changes(atLeast: 2).map(\.isUp) == [false, true])
    }

    @Test("the plain timer waits until the quiet hours end, or until SIGHUP changes them")
    func run() throws {
        let link = try VirtualLink()
        let window = Self.window(-1, 2)
        try link.configure("[default]\nquiet-hours = \(window)\n")
        let trace = try LinkTrace(link)
        let options = ["--json", "--force", "--interval", "3h", "--delay", "50ms", "--probe", "none"]
        let service = try link.start("run", options, environment: ["TZ": "UTC0"])
        try eventually("it is held", detail: service.transcript) {
            service.standardOutput.contains(#""why":"quiet""#)
        }
        let object = RunOutcome.objects(in: service.standardOutput).last ?? [:]
        let next = (object["next"] as? [String: Any])?["time"] as? String
        #expect(next?.dropFirst(11).hasPrefix(String(window.suffix(5)) + ":00.0") == true, "\(object)")
        #expect(try trace.isUntouched())
        try link.configure("")
        service.send(SIGHUP)
        try eventually("it is read", detail: service.transcript) {
            service.standardError.contains("configuration read again")
        }
        service.send(SIGUSR1)
        try eventually("it bounces", detail: service.transcript) { try !trace.changes(atLeast: 1).isEmpty }
        service.send(SIGTERM)
        #expect(try service.outcome().status == 0)
    }

    @Test("the switch to summer time within quiet hours shortens the wait by an hour")
    func changeOfClocks() throws {
        let link = try sickLink()
        // In half an hour the clocks are set forward by one hour, and back thirty days later.
        let change = Date() + Self.hour / 2
        let rule =
            "AAA0BBB-1,\(Self.dayNumber(change))/\(Self.clock(change))"
            + ",\(Self.dayNumber(change + 30 * 24 * Self.hour))/0"
        let options = Self.quick + ["--quiet-hours", Self.window(-1, 3)]
        let held = try link.start("reconnect", options, environment: ["TZ": rule]).outcome()
        let reason = held.objects.last?["reason"] as? String ?? ""
        #expect(reason.contains("quiet hours: no bounce for another 1h"), "\(rule): \(held)")
    }

    /// The day of the year, 0 to 365, where the 29th of February counts (tzset(3)).
    private static func dayNumber(_ date: Date) -> Int {
        (calendar.ordinality(of: .day, in: .year, for: date) ?? 1) - 1
    }
}
