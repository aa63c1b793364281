import Model
import Testing

@testable import Reporting

@Suite("The saved times of reboots") struct RebootRecordTests {
    private static let boot = "3c9e17ab-1111-4222-8333-444455556666"
    private static let later = "9f000000-1111-4222-8333-444455556666"
    private static let now = Instant.boot + .seconds(5400)
    private static let cause = RecordedVerdict(
        .sick, layer: .gateway, reason: "the gateway 192.0.2.1 does not answer")
    private static let record = RebootRecord(
        reboots: [now + .seconds(-90_000), now + .seconds(-12)],
        last: RebootRecord.Last(boot: boot, interface: "wlan0", cause: cause))

    private static func text(_ record: RebootRecord) -> String {
        String(decoding: record.bytes(boot: boot, now: now), as: UTF8.self)
    }

    private static func read(_ text: String, in boot: String = boot) -> RebootRecord? {
        RebootRecord.record(Array(text.utf8), boot: boot)
    }

    @Test("times are read back as they were written in the same boot")
    func roundTrip() {
        let text = Self.text(Self.record)
        #expect(
            text == """
                wifi-toggler reboots 1
                written 3c9e17ab-1111-4222-8333-444455556666 5400
                ago 90000 12
                last 3c9e17ab-1111-4222-8333-444455556666 wlan0 {"verdict":"sick","layer":"gateway","reason":"the gateway 192.0.2.1 does not answer"}

                """)
        #expect(Self.read(text) == Self.record)
        #expect(RebootRecord.record(nil, boot: Self.boot) == RebootRecord())
        #expect(Self.read(Self.text(RebootRecord())) == RebootRecord())
    }

    @Test("after a reboot, ages that were saved count back from the start of the current boot")
    func nextBoot() {
        let read = Self.read(Self.text(Self.record), in: Self.later)
        #expect(read?.reboots == [.boot + .seconds(-90_000), .boot + .seconds(-12)])
        #expect(read?.last == Self.record.last)
    }

    @Test("at most three reboots are kept, none older than a week")
    func limits() {
        let ages: [Int64] = [700_000, 600_000, 500_000, 400_000, 300_000]
        let many = RebootRecord(reboots: ages.map { Self.now + .seconds(-$0) })
        #expect(Self.text(many).contains("\nago 500000 400000 300000\n"))
        #expect(!Self.text(RebootRecord(reboots: [Self.now + .seconds(-604_800)])).contains("ago"))
    }

    @Test("a reboot in the future, from a clock that was ahead, is written with the current time")
    func ahead() {
        let ahead = RebootRecord(reboots: [Self.now + .seconds(-12), Self.now + .seconds(100)])
        #expect(Self.text(ahead).contains("\nago 12 0\n"))
        #expect(Self.read(Self.text(ahead))?.reboots == [Self.now + .seconds(-12), Self.now])
    }

    private static let title = "wifi-toggler reboots 1\n"
    private static let written = "written \(boot) 5400\n"

    @Test(
        "malformed text gives no record",
        arguments: [
            "", "\n", "wifi-toggler reboots 2\n", title, written, title + "ago 12\n",
            title + written + written, title + "written \(boot)\n", title + "written \(boot) -1\n",
            title + "written \(boot) 9999999999999999999\n", title + "written ../x 1\n",
            title + "written  5400\n", title + written + "ago\n", title + written + "ago x\n",
            title + written + "ago 1 2 3 4\n", title + written + "ago 1\nago 2\n",
            title + written + "ago 99999999999\n", title + written + "ago -5\n",
            title + written + "last \(boot) wlan0\n", title + written + "last \(boot) wlan0 {}\n",
            title + written + "last \(boot)  {\"verdict\":\"sick\",\"reason\":\"x\"}\n",
            title + written + "last \(boot) wlan0 {\"verdict\":\"odd\",\"reason\":\"x\"}\n",
            title + written + "more\n", title + written + "ago 1\r\n", title + "\u{0}",
        ])
    func hostile(text: String) {
        #expect(Self.read(text) == nil)
    }

    @Test("invalid UTF-8 gives no record, and a record that is cut off gives no wrong last reboot")
    func bytes() {
        #expect(RebootRecord.record([0xff, 0xfe, 0x0a], boot: Self.boot) == nil)
        let whole = Self.record.bytes(boot: Self.boot, now: Self.now)
        // A record that is cut off may lack its last part, but never says anything else.
        for count in 0..<whole.count - 2 {
            let part = RebootRecord.record(Array(whole.prefix(count)), boot: Self.boot)
            #expect(part == nil || part?.last == nil || part == Self.record, "\(count)")
        }
    }
}
