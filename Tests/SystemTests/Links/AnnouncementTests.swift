import Foundation
import Testing

/// The far end has wrong hardware addresses for some addresses of the near end. No packet is sent to or from
/// these addresses, which are in networks that no probe uses, so only an announcement corrects the far end.
@Suite("Announcements to the neighbours", .serialized, .needsRoot)
struct AnnouncementTests {
    private static let (ipv4, ipv6) = ("10.88.0.2", "fd00:88::2")
    private static let wrong = "02:00:00:00:00:99"

    private func link(near: String = VirtualLink.near) throws -> VirtualLink {
        let link = try VirtualLink()
        try link.farIP("address add 10.88.0.1/24 dev \(VirtualLink.far)")
        try link.farIP("address add fd00:88::1/64 dev \(VirtualLink.far) nodad")
        try address(near, of: link)
        return link
    }

    private func address(_ near: String, of link: VirtualLink) throws {
        guard near == VirtualLink.near else { return }
        try link.nearIP("address add \(Self.ipv4)/24 dev \(near)")
        try link.nearIP("address add \(Self.ipv6)/64 dev \(near) nodad")
    }

    private func mislead(_ link: VirtualLink) throws {
        for address in [Self.ipv4, Self.ipv6] {
            try link.farIP(
                "neighbour replace \(address) lladdr \(Self.wrong) nud stale dev \(VirtualLink.far)")
        }
    }

    private func entry(_ address: String, of link: VirtualLink) throws -> String {
        try link.farIP("neighbour show \(address) dev \(VirtualLink.far)")
    }

    private func isMisled(_ address: String, of link: VirtualLink) throws -> Bool {
        try entry(address, of: link).contains(Self.wrong)
    }

    /// Whether the far end has the true hardware address: that of the near end, or of its master.
    private func isCorrect(_ address: String, of link: VirtualLink, _ device: String = VirtualLink.near)
        throws
        -> Bool
    {
        let words = try link.nearIP("-brief link show dev \(device)").split(separator: " ")
        return try entry(address, of: link).contains(words[2])
    }

    @Test(
        "the service announces IPv4 alone and says once what IPv6 needs; with CAP_NET_RAW it announces both")
    func service() throws {
        let link = try link()
        let user = try ServiceUser(link)
        let options = ["--announce", "--interval", "200ms"]
        try mislead(link)
        let service = try link.start("run", options, prefix: user.asService)
        try eventually("IPv4 is corrected", detail: service.transcript) {
            try isCorrect(Self.ipv4, of: link)
        }
        try mislead(link)
        try eventually("IPv4 is corrected again", detail: service.transcript) {
            try isCorrect(Self.ipv4, of: link)
        }
        #expect(try isMisled(Self.ipv6, of: link))
        try service.endService()
        let words = "near0: IPv6 addresses are not announced: that needs CAP_NET_RAW"
        #expect(service.transcript.components(separatedBy: words).count == 2, "\(service.transcript)")
        let stronger = try link.start("run", options, prefix: user.asServiceWithRawSockets)
        try eventually("both are corrected", detail: stronger.transcript) {
            try isCorrect(Self.ipv4, of: link) && isCorrect(Self.ipv6, of: link)
        }
        try stronger.endService()
        #expect(!stronger.transcript.contains("not announced"), "\(stronger.transcript)")
    }

    @Test(
        "a one-shot announces before it ends, also after a bounce",
        arguments: [["reconnect"], ["toggle", "--delay", "100ms"]])
    func oneShot(words: [String]) throws {
        let link = try link()
        try link.keepDefaultRoute()
        try mislead(link)
        let outcome = try link.run(words[0], words.dropFirst() + ["--announce", "--verbose"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.words.contains("announced to the neighbours: "), "\(outcome)")
        // The far end forgets its neighbours while there is no carrier.
        guard words[0] == "reconnect" else { return }
        #expect(try isCorrect(Self.ipv4, of: link) && isCorrect(Self.ipv6, of: link), "\(outcome)")
    }

    @Test("routers are solicited before an advertised default route expires")
    func ending() throws {
        let link = try link()
        try link.nearIP("-6 route add default via fe80::77 dev \(VirtualLink.near) proto ra expires 9")
        let service = try link.start("run", ["--announce", "--interval", "200ms"])
        let words = "asked the IPv6 routers for an advertisement: the default route through fe80::77 ends in "
        try eventually("they are asked", detail: service.transcript) { service.transcript.contains(words) }
        #expect(try link.nearIP("-6 route show default").contains("fe80::77"), "the route was there still")
        try service.endService()
    }

    @Test(
        "without the option, in a dry run, or on a sick link nothing is announced",
        arguments: [["reconnect"], ["reconnect", "--announce", "--dry-run"], ["reconnect", "--announce"]])
    func silent(words: [String]) throws {
        let link = try link()
        let isSick = words == ["reconnect", "--announce"]
        if isSick {
            try link.muteFarEnd()
            try link.farIP("address replace 10.88.0.1/24 dev \(VirtualLink.far)")
        }
        try mislead(link)
        let outcome = try link.run(
            words[0],
            words.dropFirst() + ["--verbose", "--bounce-on", "association", "--timeout", "2s"]
                + ["--recheck", "100ms"])
        #expect(outcome.status == (isSick ? 1 : 0), "\(outcome)")
        #expect(!outcome.words.contains("announced"), "\(outcome)")
        #expect(try isMisled(Self.ipv4, of: link) && isMisled(Self.ipv6, of: link), "\(outcome)")
    }

    @Test("doctor names the drop-in if the service lacks the capability, whoever runs doctor")
    func doctor() throws {
        let link = try link()
        let user = try ServiceUser(link)
        let finding = #""finding":"announce""#
        let diagnosis = { (prefix: [String]) in
            try link.start("doctor", ["--json"], prefix: prefix).outcome().standardOutput
        }
        #expect(try !diagnosis(user.asObserver).contains(finding), "nothing is to be announced")
        try link.configure("[default]\nannounce = yes\n")
        let found = try diagnosis(user.asObserver)
        #expect(found.contains(finding) && found.contains("drop-in echo.conf"), "\(found)")
        #expect(try !diagnosis(user.asObserverWithRawSockets).contains(finding))
        let service = try link.start("run", [], prefix: user.asServiceWithRawSockets)
        try eventually("it watches", detail: service.transcript) { service.transcript.contains("starting") }
        #expect(try !diagnosis(user.asObserver).contains(finding), "the service has it")
        try service.endService()
    }

    @Test("for a port of a bridge the bridge's addresses are announced with the bridge's hardware address")
    func bridge() throws {
        let link = try link(near: "br0")
        try link.nearIP("link add br0 address 02:00:00:00:00:88 type bridge")
        try link.nearIP("link set br0 up")
        try link.nearIP("address flush dev \(VirtualLink.near)")
        try link.nearIP("link set \(VirtualLink.near) master br0")
        try link.nearIP("address add \(VirtualLink.nearAddress)/24 dev br0")
        try link.nearIP("address add \(Self.ipv4)/24 dev br0")
        try link.nearIP("address add \(Self.ipv6)/64 dev br0 nodad")
        try eventually("the bridge is operational") {
            try link.nearIP("-oneline link show dev br0").contains(" state UP ")
        }
        try link.nearIP("route add default via \(VirtualLink.farAddress) dev br0")
        try mislead(link)
        let outcome = try link.run("reconnect", ["--announce"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try isCorrect(Self.ipv4, of: link, "br0") && isCorrect(Self.ipv6, of: link, "br0"))
    }
}
