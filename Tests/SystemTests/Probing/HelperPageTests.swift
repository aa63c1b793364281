import Foundation
import Testing

/// `http:` against a real web server at the far end.
@Suite("HTTP probes", .needsRoot)
struct HelperPageTests {
    let link: VirtualLink
    let far: FarServers

    init() throws {
        link = try VirtualLink()
        far = try FarServers(link)
    }

    private static let address = "\(VirtualLink.farAddress):80"

    private func ask(_ path: String, _ expectation: String = "") throws -> Evidence {
        try Evidence.of("http:http://\(VirtualLink.farAddress)\(path)\(expectation)", link)
    }

    @Test("the expected status, a portal and a server's own fault are told apart")
    func statuses() throws {
        try far.servePages()
        for (path, layer, words) in [
            ("/204", nil, "answered with status 204"),
            ("/redirect", "portal", "redirects (302) to http://portal.example/?[31m"),
            ("/511", "portal", "answered with status 511, not 204"),
            ("/page", "portal", "answered with status 200, not 204"),
            ("/404", "portal", "answered with status 404, not 204"),
            ("/500", "internet", "answered with status 500, not 204"),
        ] as [(String, String?, String)] {
            let seen = try ask(path)
            #expect(seen.result == (layer == nil ? "ok" : "failed") && seen.layer == layer, "\(seen)")
            #expect(seen.detail == "\(Self.address) \(words)", "\(seen)")
        }
    }

    @Test(
        "a page is requested over IPv6 from an address, and from a name that has no IPv4 address",
        arguments: ["[\(VirtualLink.farAddressIPv6)]", FarServers.hostOverIPv6])
    func overIPv6(host: String) throws {
        try far.serveNames()
        try far.servePages()
        let resolver = try far.resolverConfiguration("nameserver \(FarServers.server)\n")
        let seen = try Evidence.of("http:http://\(host)/204", link, prefix: far.replacing([resolver]))
        #expect(seen.result == "ok" && seen.detail == "\(host):80 answered with status 204", "\(seen)")
    }

    /// The target has never answered before, so its silence proves nothing.
    private static let silence = "did not answer; the target has never answered on this network"

    @Test(
        "an endless or malformed response does not block the probe",
        arguments: [
            ("/slow", "portal", "answered with status 200, not 204"),
            ("/huge", "portal", "answered with status 200, not 204"),
            ("/header", "internet", "sent a header of more than 16 KiB"),
            ("/line", "internet", "sent a header of more than 16 KiB"),
            ("/nothing", "internet", "closed the connection without an answer"),
            ("/garbage", "internet", "its answer is not HTTP"),
            ("/silent", "internet", Self.silence),
        ])
    func hostile(path: String, layer: String, words: String) throws {
        try far.servePages()
        let seen = try ask(path)
        #expect(
            seen.result == (words == Self.silence ? "unknown" : "failed") && seen.layer == layer, "\(seen)")
        #expect(seen.detail.hasPrefix(Self.address) && seen.detail.hasSuffix(words), "\(seen)")
    }

    @Test("a page with the expected text is ok, one with another text fails, a slow one is unknown")
    func bodies() throws {
        try far.servePages()
        for (path, result, layer) in [
            ("/page", "ok", nil), ("/404", "failed", "portal"), ("/huge", "failed", "portal"),
            ("/slow", "unknown", "internet"),
        ] as [(String, String, String?)] {
            let seen = try Evidence.of("http:http://\(VirtualLink.farAddress)\(path) body=Success", link)
            #expect(seen.result == result && seen.layer == layer, "\(path): \(seen)")
        }
    }

    @Test("a refused connection is a fault; a new target's silence, or a refusal by this machine, is unknown")
    func connections() throws {
        let refused = try ask("/204")
        #expect(refused.result == "failed" && refused.layer == "internet", "\(refused)")
        #expect(refused.detail == "\(Self.address) refused the connection", "\(refused)")

        let rule = { (hook: String, verdict: String) in
            "table inet t { chain c { type filter hook \(hook) priority 0; tcp dport 80 \(verdict); }; }"
        }
        try far.rules(in: link.farNamespace, rule("input", "drop"))
        let dropped = try ask("/204")
        #expect(
            dropped.result == "unknown" && dropped.detail == "\(Self.address) \(Self.silence)", "\(dropped)")

        // The firewall's own refusal comes back over the loopback interface.
        try link.nearIP("link set lo up")
        try far.rules(in: link.nearNamespace, rule("output", "reject with icmp type port-unreachable"))
        let ours = try ask("/204")
        #expect(ours.result == "unknown" && ours.status == 2, "\(ours)")
    }

    @Test("the wait for a silent second name server is not part of the round trip")
    func silentServer() throws {
        try far.serveNames()
        try far.servePages()
        try far.rules(
            in: link.farNamespace,
            "table inet t { chain c { type filter hook input priority 0; "
                + "ip daddr \(VirtualLink.farAddress) udp dport 53 drop; }; }")
        let resolver = try far.resolverConfiguration(
            "nameserver \(FarServers.server)\nnameserver \(VirtualLink.farAddress)\n")
        // A busy machine may lengthen some of them. With the wait, each takes 300 ms at least.
        let roundTrips = try (1...3).compactMap { _ in
            try Evidence.of(
                "http:http://\(FarServers.host)/204", link, prefix: far.replacing([resolver])
            ).roundTrip
        }
        #expect(roundTrips.contains { $0 < 300 }, "\(roundTrips)")
    }

    @Test("a host unknown to DNS is a fault of dns; without name servers the probe is unknown")
    func unresolved() throws {
        try far.serveNames()
        let known = try far.resolverConfiguration("nameserver \(FarServers.server)\n")
        let gone = try Evidence.of("http:http://gone.example/", link, prefix: far.replacing([known]))
        #expect(gone.result == "failed" && gone.layer == "dns", "\(gone)")
        let none = try far.resolverConfiguration("")
        let unknown = try Evidence.of("http:http://public.example/", link, prefix: far.replacing([none]))
        #expect(unknown.result == "unknown" && unknown.status == 2, "\(unknown)")
    }

    @Test("a valid certificate, an intercepting server and a wrong clock are told apart")
    func certificates() throws {
        try far.makeCertificates()
        try far.serveNames()
        try far.servePages()
        let resolver = try far.resolverConfiguration("nameserver \(FarServers.server)\n")
        let trusting = far.replacing([resolver, far.authority])
        for (port, name) in [(8441, "good"), (8442, "wrong"), (8443, "old")] {
            try far.servePages(port: port, certificate: far.certificate(name))
        }
        let ask = { (port: Int, path: String, prefix: [String]) in
            try Evidence.of(
                "http:https://\(FarServers.host):\(port)\(path)", link, prefix: prefix, timeout: "3s")
        }
        let good = try ask(8441, "/204", trusting)
        #expect(good.result == "ok", "\(good)")
        // The server's certificate is valid, so the redirection does not come from a portal.
        let redirect = try ask(8441, "/redirect", trusting)
        #expect(redirect.result == "failed" && redirect.layer == "internet", "\(redirect)")
        let stranger = try ask(8441, "/204", far.replacing([resolver]))
        #expect(stranger.result == "failed" && stranger.layer == "portal", "\(stranger)")
        let wrong = try ask(8442, "/204", trusting)
        #expect(wrong.result == "failed" && wrong.layer == "portal", "\(wrong)")
        #expect(wrong.detail.hasPrefix("the certificate does not prove"), "\(wrong)")
        let old = try ask(8443, "/204", trusting)
        #expect(old.result == "unknown" && old.status == 2, "\(old)")
        #expect(old.detail.hasSuffix("(check this machine's clock)"), "\(old)")
        // Port 80 has no TLS at all.
        let plain = try ask(80, "/204", trusting)
        #expect(plain.result == "failed" && plain.layer == "internet", "\(plain)")
        #expect(plain.detail.hasPrefix("TLS with"), "\(plain)")
    }

    @Test("one helper gets the answers to several requests over TLS, at once and again at each check")
    func severalOverTLS() throws {
        try far.makeCertificates()
        try far.serveNames()
        let resolver = try far.resolverConfiguration("nameserver \(FarServers.server)\n")
        var probes: [String] = []
        for port in [8441, 8442] {
            try far.servePages(port: port, certificate: far.certificate("good"))
            for page in ["/204", "/page body=Success"] {
                probes += ["--probe", "http:https://\(FarServers.host):\(port)\(page)"]
            }
        }
        let program = try link.start(
            "run", ["--json", "--interval", "300ms", "--timeout", "10s"] + probes,
            prefix: far.replacing([resolver, far.authority]))
        // The connections of one check are perhaps still being closed during the next one.
        try eventually("five checks", within: .seconds(60), detail: program.transcript) {
            program.cycles >= 5
        }
        let verdicts = RunOutcome.objects(in: program.standardOutput).map { $0["verdict"] as? String }
        #expect(verdicts.allSatisfy { $0 == "healthy" }, "\(program.transcript)")
        try program.endService()
    }
}
