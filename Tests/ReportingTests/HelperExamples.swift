import CAres
import Glibc
import HelperProtocol
import Model

@testable import Probing
@testable import Reporting
@testable import wifi_toggler_prober

/// Results of the helper (wifi-toggler-prober), as the table of `probe` shows them.
@MainActor enum HelperExamples {
    private static let server = IPAddress("192.0.2.1")!
    private static let router = IPAddress("198.51.100.1")!
    private static let name = "www.example.net"

    private static var faults: [SocketFault] {
        [
            SocketFault(code: ECONNREFUSED, origin: .target),
            SocketFault(code: EHOSTUNREACH, origin: .stranger(router)),
            SocketFault(code: EHOSTUNREACH, origin: .silentNeighbour),
            SocketFault(code: ENETUNREACH, origin: .ours),
        ]
    }

    private static var names: [ProbeResult] {
        let statuses = [
            cares_enodata, cares_enotfound, cares_eservfail, cares_erefused, cares_eformerr, cares_enotimp,
            cares_ebadresp, cares_etimeout, cares_enomem,
        ]
        let replies =
            [DNSReply.addresses([IPAddress("198.51.100.7")!]), .addresses([IPAddress("127.0.0.1")!])]
            + statuses.map { DNSReply(status: $0, fault: nil) }
            + faults.map { DNSReply(status: cares_etimeout, fault: $0) }
        let judged = (replies.map { [DNSJudgement.ServerOutcome(server: server, replies: [$0])] } + [[]]).map
        {
            DNSJudgement.outcome(of: name, $0, .publicAlone, roundTrip: .milliseconds(5))
        }
        return (judged + [HelperService.tooMany]).map {
            HelperProbe.result($0, of: .dns(name: name, expectsPrivate: false), within: .milliseconds(5))
        }
    }

    private static func pages(_ url: String) -> [ProbeResult] {
        let redirect = Array("http://portal.example/login".utf8)
        let whole: [HTTPFacts] = [
            HTTPFacts(ending: .whole, status: 204), HTTPFacts(ending: .whole, status: 200),
            HTTPFacts(ending: .whole, status: 302, location: redirect),
            HTTPFacts(ending: .whole, status: 503),
            HTTPFacts(ending: .whole), HTTPFacts(ending: .late), HTTPFacts(ending: .late, status: 200),
        ]
        let others: [HTTPFacts.Ending] =
            ([[]] + faults.map { [$0] }).map { .unconnected($0) }
            + [.endlessHeader, .unproven, .untimely, .tls("SSL connect error"), .failed("Out of memory")]
        let facts = whole + others.map { HTTPFacts(ending: $0) }
        let target = HTTPTarget(url)!
        let results =
            facts.map { ($0, HelperRequest.Expectation.status(204)) }
            + [200, 404].map { (HTTPFacts(ending: .whole, status: $0), .body("Example")) }
        let outcomes = results.map { facts, expectation in
            (
                HTTPJudgement(target: target, expectation: expectation, roundTrip: .milliseconds(5)).outcome(
                    facts),
                expectation
            )
        }
        return (outcomes + [(HTTPProbe.unprepared, .status(204))]).map { outcome, expectation in
            HelperProbe.result(outcome, of: .http(url: url, expectation), within: .milliseconds(5))
        }
    }

    static func lines() throws -> [String] {
        let url = "https://www.example.net/"
        return EvidenceTable.lines(
            names.map { .probe(.dns(name: name, server: nil), $0) }
                + pages(url).map { .probe(.http(HTTPQuestion(url: url)), $0) })
    }
}
