import Model
import Testing

@testable import Reporting

@Suite("The log about announcements") struct AnnouncementLogTests {
    private static let addresses = [IPAddress("192.0.2.7")!, IPAddress("fe80::1")!]

    @Test("an announcement is logged only with --verbose")
    func announced() {
        var log = AnnouncementLog()
        #expect(log.lines(for: AnnouncementResult()).isEmpty)
        for _ in 0..<2 {
            #expect(
                log.lines(for: AnnouncementResult(announced: Self.addresses))
                    == [Line(.debug, "announced to the neighbours: 192.0.2.7, fe80::1")])
        }
    }

    @Test("every router solicitation is logged, because it is rare and the default route is at stake")
    func solicited() {
        var log = AnnouncementLog()
        let result = AnnouncementResult(solicited: [
            .init(address: Self.addresses[1], remaining: .seconds(600))
        ])
        for _ in 0..<2 {
            #expect(
                log.lines(for: result) == [
                    Line(
                        .notice,
                        "asked the IPv6 routers for an advertisement: the default route through fe80::1 ends in 10m"
                    )
                ])
        }
    }

    @Test("each problem is logged only once, even if it is absent at some checks in between")
    func problems() {
        let busy = Failure(kind: .lost, code: 105, description: "No buffer space available")
        let problems: [AnnouncementResult.Problem] = [
            .omitted(Self.addresses[0]), .noRawSockets, .failed(busy), .omitted(IPAddress("192.0.2.8")!),
        ]
        var log = AnnouncementLog()
        let lines = log.lines(for: AnnouncementResult(problems: problems))
        #expect(lines.map(\.level) == [.notice, .warning, .warning, .notice])
        #expect(
            lines.map(\.text).prefix(3) == [
                "192.0.2.7 is not announced: the kernel announces only the first address of a subnet",
                "IPv6 addresses are not announced: that needs CAP_NET_RAW (run as root, or give the service the"
                    + " drop-in echo.conf)",
                "could not announce its addresses: No buffer space available",
            ])
        #expect(log.lines(for: AnnouncementResult()).isEmpty)
        #expect(log.lines(for: AnnouncementResult(problems: problems)).isEmpty)
    }
}
