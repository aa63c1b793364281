import Model
import Testing
import Toggling

@testable import Reporting

@Suite("The file of known targets") struct KnownTargetsTextTests {
    private static let now = Instant(nanoseconds: 500_000_000_000)
    private static let wall: Int64 = 1_800_000_000

    private static func read(_ text: String, wall: Int64 = wall) -> [KnownTargets.Entry] {
        KnownTargetsText(Array(text.utf8), now: now, wallNow: wall).knownTargets.entries
    }

    private static let network = Network(
        ssid: SSID("lab".utf8), family: BSSIDFamily(canonical: "00105e"),
        routers: [
            Network.Router(address: IPAddress("10.77.0.1")!, macAddress: MACAddress([2, 0, 0, 0, 0, 0xa])),
            Network.Router(address: IPAddress("fe80::1")!, macAddress: nil),
        ])

    @Test("entries are read back as they were written, with their ages")
    func roundTrip() {
        let nowhere = Network(ssid: nil, routers: [])
        let entries = [
            KnownTargets.Entry(network: Self.network, target: "icmp 198.51.100.7", answered: Self.now),
            KnownTargets.Entry(
                network: nowhere, target: "http http://example.net/a b",
                answered: Self.now + .seconds(-3600)),
        ]
        let kept = KnownTargets(entries)
        let bytes = KnownTargetsText(nil, now: Self.now, wallNow: Self.wall).bytes(for: kept)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(
            text == """
                wifi-toggler learned 1
                1799996400 - - http http://example.net/a b
                1800000000 6c6162/00105e 10.77.0.1/02:00:00:00:00:0a,fe80::1/- icmp 198.51.100.7

                """)
        #expect(Self.read(text) == kept.entries)
    }

    @Test("a line of the format before the BSSIDs' family was added is read")
    func withoutFamily() {
        let read = Self.read("wifi-toggler learned 1\n1800000000 6c6162 - tcp b 1\n")
        #expect(read.map(\.network) == [Network(ssid: SSID("lab".utf8), routers: [])])
    }

    @Test("while the wall clock is not set, the newest line's time counts as now, and no entry is lost")
    func unset() {
        let text = "wifi-toggler learned 1\n1799996400 - - tcp a 1\n1800000000 - - tcp b 1\n"
        let early = KnownTargetsText(Array(text.utf8), now: Self.now, wallNow: 30)
        #expect(early.knownTargets.entries.map(\.answered) == [Self.now + .seconds(-3600), Self.now])
        #expect(early.bytes(for: early.knownTargets) == Array(text.utf8))
    }

    @Test("an entry that is 30 days old is dropped")
    func old() {
        let text = "wifi-toggler learned 1\n\(Self.wall - 30 * 86400) - - tcp a 1\n"
        #expect(Self.read(text).isEmpty)
    }

    @Test(
        "an invalid line is ignored, and so is a whole file of another format",
        arguments: [
            "", "x", "1", "- - -", "1800000000 - -", "1800000000 - - ", "-5 - - tcp a 1", "1e9 - - tcp a 1",
            "99999999999999999999 - - tcp a 1", "1800000000 6c6 - tcp a 1", "1800000000  - tcp a 1",
            "1800000000 zz - tcp a 1",
            "1800000000 6c6162/ - tcp a 1", "1800000000 6c6162/00105 - tcp a 1",
            "1800000000 6c6162/02105e - tcp a 1", "1800000000 6c6162/00105e/ - tcp a 1",
            "1800000000 - 10.0.0/- tcp a 1", "1800000000 - 10.0.0.1 tcp a 1",
            "1800000000 - 10.0.0.1/-, tcp a 1", "1800000000 - 10.0.0.1/02 tcp a 1",
            "1800000000 - - tcp a 1\r", "1800000000 - - \u{301}tcp\ta 1", "1800000000 - - tcp a 1\u{7f}",
        ])
    func hostile(line: String) {
        let good = "1800000000 - - tcp b 1"
        let read = Self.read("wifi-toggler learned 1\n\(line)\n\(good)\n").map(\.target)
        #expect(read == ["tcp b 1"])
        #expect(Self.read("\(line)\n\(good)\n").isEmpty)
    }

    @Test("entries that were read from any file are the same after they are written and read again")
    func written() {
        let read = Self.read("wifi-toggler learned 1\n1800000000 - - \u{301}dns a\n")
        let text = KnownTargetsText(nil, now: Self.now, wallNow: Self.wall)
        let again = text.bytes(for: KnownTargets(read))
        #expect(read.count == 1)
        #expect(KnownTargetsText(again, now: Self.now, wallNow: Self.wall).knownTargets.entries == read)
    }

    @Test("a line with invalid UTF-8 is invalid, the other lines are read")
    func bytes() {
        let good = "1800000000 - - tcp b 1\n"
        let bytes = Array("wifi-toggler learned 1\n\(good)1800000000 - - tcp c".utf8) + [0xff]
        let read = KnownTargetsText(bytes, now: Self.now, wallNow: Self.wall).knownTargets.entries
        #expect(read.map(\.target) == ["tcp b 1"])
    }
}
