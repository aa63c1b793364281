import Glibc
import HelperProtocol
import Model
import Testing

@testable import wifi_toggler_prober

@Suite("How a web server's response is judged")
struct HTTPJudgementTests {
    private func judge(
        _ facts: HTTPFacts, of url: String = "http://a.example/",
        _ expectation: HelperRequest.Expectation = .status(204)
    ) throws -> String {
        let target = try #require(HTTPTarget(url))
        return HTTPJudgement(target: target, expectation: expectation, roundTrip: .milliseconds(5))
            .outcome(facts).summary
    }

    private func whole(_ status: Int, _ body: String = "", location: String? = nil) -> HTTPFacts {
        HTTPFacts(
            ending: .whole, status: status, location: location.map { Array($0.utf8) }, body: Array(body.utf8))
    }

    @Test(
        "without TLS the expected status is an answer, 5xx except 511 a server's fault, any other a portal",
        arguments: [
            (204, "answered: a.example:80 answered with status 204"),
            (200, "refuted portal: a.example:80 answered with status 200, not 204"),
            (404, "refuted portal: a.example:80 answered with status 404, not 204"),
            (511, "refuted portal: a.example:80 answered with status 511, not 204"),
            (500, "refuted internet: a.example:80 answered with status 500, not 204"),
            (503, "refuted internet: a.example:80 answered with status 503, not 204"),
        ])
    func status(status: Int, expected: String) throws { #expect(try judge(whole(status)) == expected) }

    @Test(
        "a server with a valid certificate is never taken for a portal", arguments: [200, 302, 404, 500, 511])
    func secure(status: Int) throws {
        #expect(
            try judge(whole(status), of: "https://a.example/").hasPrefix("refuted internet: a.example:443"))
    }

    @Test("a redirect is reported with its target, with `?` in place of control characters")
    func redirect() throws {
        let seen = try judge(
            whole(302, location: "http://portal/\u{1b}[31m" + String(repeating: "x", count: 999)))
        #expect(seen.hasPrefix("refuted portal: a.example:80 redirects (302) to http://portal/?[31mxxx"))
        #expect(seen.hasSuffix("xxx..."))
        #expect(seen.utf8.count < 200)
        // A location without a redirect is ignored.
        #expect(try judge(whole(204, location: "http://portal/")).hasPrefix("answered"))
    }

    @Test("a page must contain the expected text, with any successful status")
    func body() throws {
        let wanted = HelperRequest.Expectation.body("Success")
        for (status, page, expected) in [
            (200, "<html>Success</html>", "answered: a.example:80 answered with status 200"),
            (203, "Success", "answered: a.example:80 answered with status 203"),
            (200, "Succes", "refuted portal: a.example:80 answered with another page than expected"),
            (200, "", "refuted portal: a.example:80 answered with another page than expected"),
            (302, "Success", "refuted portal: a.example:80 answered with status 302"),
        ] {
            #expect(try judge(whole(status, page), wanted) == expected)
        }
    }

    @Test("each way in which a response can end has an outcome of its own")
    func endings() throws {
        let rows: [(HTTPFacts.Ending, Int?, String)] = [
            (.late, nil, "unanswered: a.example:80 did not answer"),
            (.late, 200, "unanswered: a.example:80 began to answer, but did not finish in time"),
            (.endlessHeader, 204, "refuted internet: a.example:80 sent a header of more than 16 KiB"),
            (.unproven, nil, "refuted portal: the certificate does not prove the identity of a.example:80"),
            (.tls("no"), nil, "refuted internet: TLS with a.example:80 failed: no"),
            (.broken("it broke"), nil, "refuted internet: a.example:80: it broke"),
            (.failed("out of luck"), nil, "unknown 0: the request to a.example:80 failed: out of luck"),
            (.whole, nil, "refuted internet: a.example:80 sent an answer that is not HTTP"),
        ]
        for (ending, status, expected) in rows {
            #expect(try judge(HTTPFacts(ending: ending, status: status)) == expected)
        }
        let untimely = try judge(HTTPFacts(ending: .untimely, status: nil))
        #expect(untimely.hasPrefix("unknown 0:") && untimely.hasSuffix("(check this machine's clock)"))
    }

    @Test("if no attempt connected, the attempt with the most conclusive error decides the outcome")
    func unconnected() throws {
        let router = SocketFault.Origin.stranger(IPAddress("192.0.2.254")!)
        let rows: [([SocketFault.Origin], String)] = [
            ([.target], "refuted internet: a.example:80 refused the connection"),
            ([.ours, .target], "refuted internet: a.example:80 refused the connection"),
            ([router, .target], "refuted internet: a.example:80 refused the connection"),
            (
                [.ours, router],
                "unanswered: 192.0.2.254 reports that a.example:80 cannot be reached: No route to host"
            ),
            (
                [.ours, .silentNeighbour],
                "unanswered: a.example:80 cannot be reached: the next hop did not answer: No route to host"
            ),
            ([.ours, .silentTarget], "unanswered: a.example:80 did not answer"),
            ([.ours], "unknown \(EHOSTUNREACH): a.example:80 could not be asked: No route to host"),
            ([], "unknown 0: a.example:80 could not be asked"),
        ]
        for (origins, expected) in rows {
            let faults = origins.map { SocketFault(code: EHOSTUNREACH, origin: $0) }
            #expect(try judge(HTTPFacts(ending: .unconnected(faults), status: nil)) == expected)
        }
    }
}

@Suite("The addresses of a web server that are tried")
struct HTTPAddressTests {
    @Test("neither family displaces the addresses of the other, and at most eight are tried")
    func families() {
        let four = (1...8).map { IPAddress("192.0.2.\($0)")! }
        let six = (1...8).map { IPAddress("2001:db8::\($0)")! }
        let inTurn = zip(six, four).flatMap { [$0, $1] }
        #expect(HTTPProbe.chosen(four + six) == Array(inTurn.prefix(8)))
        let leading = [six[0]] + four
        #expect(HTTPProbe.chosen(leading) == Array(leading.prefix(8)))
        #expect(HTTPProbe.chosen(four) == four)
        #expect(HTTPProbe.chosen([]).isEmpty)
    }
}

@Suite("The target of a URL")
struct HTTPTargetTests {
    @Test(
        "host, port and scheme are read from the URL",
        arguments: [
            ("http://a.example", "a.example:80", false), ("https://a.example/x?y#z", "a.example:443", true),
            ("http://192.0.2.1:8080/", "192.0.2.1:8080", false),
            ("https://[2001:db8::1]/", "[2001:db8::1]:443", true),
        ])
    func parts(url: String, text: String, isSecure: Bool) throws {
        let target = try #require(HTTPTarget(url))
        #expect(target.text == text)
        #expect(target.isSecure == isSecure)
    }

    @Test(
        "an invalid or unsupported URL is refused",
        arguments: [
            "", "http://", "file:///etc/passwd", "ftp://a.example/", "http://user@a.example/",
            "http://user:word@a.example/", "http://a b/", "http://a.example:0/", "http://a.example:99999/",
            "http://[fe80::1%25wlan0]x/", "a.example", "http://-a/",
        ])
    func refused(url: String) { #expect(HTTPTarget(url) == nil) }
}
