import Model
import Testing
import Toggling

@testable import Reporting

@Suite("The file of the bounce limiter") struct SavedLimiterTextTests {
    private static let now = Instant(nanoseconds: 500_000_000_000)
    private static let wall: Int64 = 1_800_000_000
    private static let title = "wifi-toggler limiter 1\n"

    private static func read(_ text: String, wall: Int64 = wall) -> BounceLimiter.Saved {
        SavedLimiterText.limiter(Array(text.utf8), now: now, wallNow: wall)
    }

    private static let network = Network(
        ssid: SSID("lab".utf8),
        routers: [Network.Router(address: IPAddress("10.77.0.1")!, macAddress: nil)])

    private static let whole = BounceLimiter.Saved(
        bounces: [now + .seconds(-3000), now + .seconds(-100)], bouncesInOutage: 2,
        earliest: now + .seconds(140), healthySince: now + .seconds(-50), useless: 3, network: network,
        restarts: [now + .seconds(-3000)], inVain: [.owner, .restartOwner])

    @Test("all values are read back as they were written, with their ages")
    func roundTrip() {
        let bytes = SavedLimiterText.bytes(Self.whole, now: Self.now, wallNow: Self.wall)
        #expect(
            String(decoding: bytes, as: UTF8.self) == """
                wifi-toggler limiter 1
                bounced 1799997000 1799999900
                outage 2
                next 1800000140
                healthy 1799999950
                useless 3 6c6162 10.77.0.1/-
                restarted 1799997000
                vain owner restart-owner

                """)
        #expect(SavedLimiterText.limiter(bytes, now: Self.now, wallNow: Self.wall) == Self.whole)
        let empty = SavedLimiterText.bytes(BounceLimiter.Saved(), now: Self.now, wallNow: Self.wall)
        #expect(String(decoding: empty, as: UTF8.self) == Self.title)
        #expect(SavedLimiterText.limiter(nil, now: Self.now, wallNow: Self.wall).isEmpty)
    }

    @Test("a bounce's time is rounded down to seconds, the next permitted bounce's is rounded up")
    func rounding() {
        let part = Duration.milliseconds(300)
        let memory = BounceLimiter.Saved(
            bounces: [Self.now + .milliseconds(-300)], bouncesInOutage: 1, earliest: Self.now + part)
        let text = String(
            decoding: SavedLimiterText.bytes(memory, now: Self.now, wallNow: Self.wall), as: UTF8.self)
        #expect(text.contains("bounced 1799999999\n"))
        #expect(text.contains("next 1800000001\n"))
    }

    @Test("if the clock is behind, times in the file are ignored, so that no wait lasts for ever")
    func behind() {
        let bytes = SavedLimiterText.bytes(Self.whole, now: Self.now, wallNow: Self.wall)
        let early = SavedLimiterText.limiter(bytes, now: Self.now, wallNow: Self.wall - 86400)
        #expect(early.bounces.isEmpty && early.healthySince == nil)
        #expect(early.useless == 3, "what was learned has no moment")
    }

    @Test("bounces of more than a day ago are dropped, also by the wall clock")
    func old() {
        let bytes = SavedLimiterText.bytes(Self.whole, now: Self.now, wallNow: Self.wall)
        let late = SavedLimiterText.limiter(bytes, now: Self.now, wallNow: Self.wall + 86400)
        #expect(late.bounces.isEmpty && late.healthySince == nil)
        #expect(late.earliest == Self.now, "over, not before the machine began")
    }

    @Test(
        "an invalid line is ignored, and so is a whole file of another format",
        arguments: [
            "", "x", "bounced", "bounced ", "bounced x", "bounced -5", "bounced +5", "bounced 1e9",
            "bounced 99999999999999999999", "bounced 9223372036854775807", "bounced 0", "bounced 1800000001",
            "outage", "outage x", "outage -1", "outage 1 1", "outage 99999999999999999999", "next", "next x",
            "next 1 1", "next 99999999999999999999", "healthy x", "healthy 1800000001", "healthy 1 1",
            "useless 3", "useless 3 -", "useless 0 - -", "useless x - -", "useless -3 - -", "useless 3 zz -",
            "useless 3 - - -", "useless 3 - 10.0.0.1", "Bounced 1799999900", "bounced\t1799999900",
            "bounced 1799999900\r", "bounced 1799999900\u{301}", " outage 3", "limiter 2",
        ])
    func hostile(line: String) {
        let good = BounceLimiter.Saved(bounces: [Self.now + .seconds(-7)])
        #expect(Self.read(Self.title + line + "\nbounced 1799999993\n") == good)
        #expect(Self.read(line + "\nbounced 1799999993\n").isEmpty)
        #expect(Self.read("wifi-toggler limiter 2\nbounced 1799999993\n").isEmpty)
    }

    @Test("valid words of a line count, even if another word of it is invalid")
    func mixed() {
        let read = Self.read(Self.title + "bounced 1799999993 x 1899999999  1799999995\n")
        #expect(read.bounces == [Self.now + .seconds(-7), Self.now + .seconds(-5)])
    }

    @Test("numbers out of range are cut to the maximum without an overflow")
    func extremes() {
        let read = Self.read(
            Self.title + "bounced 1799999993\noutage 9223372036854775807\nnext 9223372036854775807\n"
                + "useless 9223372036854775807 - -\n")
        #expect(read.bouncesInOutage == 1000 && read.useless == 1000)
        #expect(read.earliest == Self.now + .seconds(40 * 86400))
    }

    @Test("the file has room for an hour of one bounce a second, and no more bounces are kept")
    func most() {
        let bounces = (0..<5000).map { Self.now + .seconds(-Int64($0) / 2) }
        let bytes = SavedLimiterText.bytes(
            BounceLimiter.Saved(bounces: bounces, bouncesInOutage: 5), now: Self.now, wallNow: Self.wall)
        #expect(bytes.count < 1 << 16)
        #expect(SavedLimiterText.limiter(bytes, now: Self.now, wallNow: Self.wall).bounces.count == 3600)
    }

    @Test("invalid UTF-8 makes only its own word invalid")
    func bytes() {
        let bytes = Array((Self.title + "bounced 1799999993 ").utf8) + [0xff, 0x0a] + Array("outage 2".utf8)
        let read = SavedLimiterText.limiter(bytes, now: Self.now, wallNow: Self.wall)
        #expect(read.bounces.count == 1 && read.bouncesInOutage == 2)
    }
}
