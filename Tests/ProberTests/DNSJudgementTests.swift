import CAres
import Glibc
import HelperProtocol
import Model
import Testing

@testable import wifi_toggler_prober

@Suite("How replies of name servers are judged")
struct DNSJudgementTests {
    private static let first = IPAddress("192.0.2.1")!
    private static let second = IPAddress("192.0.2.2")!

    /// The outcome as a line.
    private func judge(
        _ replies: [[DNSReply]], _ credulity: DNSJudgement.Credulity = .publicAlone
    ) -> String {
        let outcomes = zip([Self.first, Self.second], replies).map {
            DNSJudgement.ServerOutcome(server: $0, replies: $1)
        }
        return DNSJudgement.outcome(of: "a.example", outcomes, credulity, roundTrip: .milliseconds(5))
            .summary
    }

    private func at(_ addresses: String...) -> DNSReply { .addresses(addresses.map { IPAddress($0)! }) }

    @Test("one credible address suffices, whatever else was answered")
    func answered() {
        let expected = "answered: 192.0.2.1 says a.example is at 198.51.100.7"
        #expect(judge([[at("198.51.100.7"), .refused("knows no address of it")]]) == expected)
        #expect(judge([[at("127.0.0.1", "198.51.100.7")]]) == expected)
        #expect(
            judge([[.refused("failed")], [.silent, at("2001:db8::7")]])
                == "answered: 192.0.2.2 says a.example is at 2001:db8::7")
    }

    @Test(
        "an address that no public host can have is a wrong answer",
        arguments: [
            "127.0.0.1", "127.9.9.9", "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1",
            "100.64.0.1", "169.254.1.1", "224.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "fd00::1",
            "ff02::1", "100::1", "::ffff:127.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b:2::1.1.1.1",
        ])
    func lies(address: String) {
        let shown = IPAddress(address)!
        #expect(
            judge([[at(address)]]) == "refuted dns: 192.0.2.1 gives a false answer: a.example is at \(shown)")
    }

    @Test(
        "a public address is not taken for a wrong answer",
        arguments: [
            "1.1.1.1", "172.32.0.1", "100.128.0.1", "192.169.0.1", "2606:4700::1", "64:ff9b::1.1.1.1",
            // A network's own prefix for translation, of 96 bits and of 48.
            "64:ff9b:1::1.1.1.1", "64:ff9b:1:101:1:100::",
        ])
    func honest(address: String) { #expect(judge([[at(address)]]).hasPrefix("answered")) }

    @Test("a private name may have private addresses, but none of this machine's own")
    func privateName() {
        #expect(judge([[at("10.1.2.3")]], .anyHost).hasPrefix("answered"))
        #expect(judge([[at("fd00::1")]], .anyHost).hasPrefix("answered"))
        #expect(judge([[at("127.0.0.1")]], .anyHost).hasPrefix("refuted dns"))
        #expect(judge([[at("0.0.0.0")]], .anyHost).hasPrefix("refuted dns"))
    }

    @Test("an answer counts more than silence, and silence more than a query that was not sent")
    func ranks() {
        let ours = DNSReply.fault(SocketFault(code: ENETUNREACH, origin: .ours))
        #expect(
            judge([[.silent], [.refused("failed to answer (SERVFAIL)")]])
                == "refuted dns: a.example: 192.0.2.2 failed to answer (SERVFAIL)")
        #expect(judge([[ours], [.silent]]) == "unanswered: 192.0.2.2 did not answer")
        #expect(
            judge([[ours]]) == "unknown \(ENETUNREACH): 192.0.2.1 could not be asked: Network is unreachable")
        #expect(judge([[.failed("no memory")]]) == "unknown 0: the question could not be asked: no memory")
        #expect(judge([]) == "unknown 0: no name server was asked")
    }

    @Test("a server that fails is distinguished from a server that does not know the name")
    func serverFails() {
        let refusal = DNSReply.fault(SocketFault(code: ECONNREFUSED, origin: .target))
        let failed = "nameServer: a.example: 192.0.2.1 failed to answer (SERVFAIL)"
        #expect(DNSReply(status: cares_eservfail, fault: nil) == .serverFailed)
        #expect(judge([[.serverFailed, .serverFailed]]) == "refuted \(failed)")
        #expect(judge([[.serverFailed, .silent]]) == "refuted \(failed)")
        #expect(judge([[.silent], [refusal]]).hasPrefix("refuted nameServer"))
        // Any other answer shows that the server works.
        #expect(judge([[.serverFailed, .refused("knows no address of it")]]).hasPrefix("refuted dns"))
        #expect(judge([[.serverFailed, at("127.0.0.1")]]).hasPrefix("refuted dns"))
        #expect(judge([[DNSReply(status: cares_enotfound, fault: nil)]]).hasPrefix("refuted dns"))
        #expect(judge([[DNSReply(status: cares_erefused, fault: nil)]]).hasPrefix("refuted dns"))
    }

    @Test("who reported a socket error decides the outcome")
    func faults() {
        let made = { (origin: SocketFault.Origin) in
            self.judge([[.fault(SocketFault(code: ECONNREFUSED, origin: origin))]])
        }
        #expect(made(.target) == "refuted nameServer: 192.0.2.1 does not serve names: Connection refused")
        #expect(
            made(.stranger(Self.second))
                == "unanswered: 192.0.2.2 reports that 192.0.2.1 cannot be reached: Connection refused")
        #expect(
            made(.silentNeighbour)
                == "unanswered: 192.0.2.1 cannot be reached: the next hop did not answer: Connection refused")
        #expect(made(.silentTarget) == "unanswered: 192.0.2.1 did not answer")
        #expect(made(.ours) == "unknown \(ECONNREFUSED): 192.0.2.1 could not be asked: Connection refused")
    }

    @Test("each status of c-ares is mapped to one kind of reply")
    func statuses() {
        for status in [
            cares_enodata, cares_enotfound, cares_erefused, cares_eformerr, cares_enotimp, cares_ebadresp,
        ] {
            guard case .refused = DNSReply(status: status, fault: nil) else {
                Issue.record("\(status): \(DNSReply(status: status, fault: nil))")
                continue
            }
        }
        let fault = SocketFault(code: ENETDOWN, origin: .ours)
        for status in [cares_etimeout, cares_econnrefused, cares_edestruction, cares_ecancelled] {
            #expect(DNSReply(status: status, fault: nil) == .silent)
            #expect(DNSReply(status: status, fault: fault) == .fault(fault))
        }
        guard case .failed = DNSReply(status: cares_enomem, fault: fault) else {
            Issue.record("out of memory is no answer")
            return
        }
    }
}

extension HelperAnswer.Outcome {
    var summary: String {
        switch self {
        case .answered(_, let detail): "answered: \(detail)"
        case .unanswered(let detail): "unanswered: \(detail)"
        case .refuted(let fault, _, let detail): "refuted \(fault): \(detail)"
        case .unknown(let code, let words): "unknown \(code): \(words)"
        }
    }
}
