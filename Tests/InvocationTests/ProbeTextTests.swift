import Testing
import Toggling

@testable import Invocation

@Suite("Probes as text")
struct ProbeTextTests {
    private static let v4 = IPAddress("192.0.2.1")!
    private static let v6 = IPAddress("fd00::1")!

    @Test(
        "a probe is read as it is written in the manual",
        arguments: [
            ("auto", ProbeSpec(.auto)), ("none", ProbeSpec(.none)),
            ("+auto", ProbeSpec(.auto, isRequired: true)),
            ("neighbour", ProbeSpec(.neighbour(nil))), ("neighbor", ProbeSpec(.neighbour(nil))),
            ("neighbour:192.0.2.1", ProbeSpec(.neighbour(v4))),
            ("+neighbour:fd00::1", ProbeSpec(.neighbour(v6), isRequired: true)),
            ("icmp", ProbeSpec(.icmp(nil))), ("icmp:fd00::1", ProbeSpec(.icmp(.address(v6)))),
            ("icmp:192.0.2.1", ProbeSpec(.icmp(.address(v4)))),
            ("icmp:example.org", ProbeSpec(.icmp(.name("example.org")))),
            ("tcp:192.0.2.1:80", ProbeSpec(.tcp(.address(v4), port: 80))),
            ("tcp:[fd00::1]:80", ProbeSpec(.tcp(.address(v6), port: 80))),
            (
                "+tcp:a-b.example.org.:65535",
                ProbeSpec(.tcp(.name("a-b.example.org."), port: 65535), isRequired: true)
            ),
            ("tcp:router:443", ProbeSpec(.tcp(.name("router"), port: 443))),
            ("tcp:3com.example:443", ProbeSpec(.tcp(.name("3com.example"), port: 443))),
        ])
    func reads(text: String, probe: ProbeSpec) throws {
        #expect(try ProbeText.parse(text) == probe)
    }

    @Test(
        "what is no probe is refused with the reason",
        arguments: [
            ("", .empty), ("+", .unknownProbe(suggestion: nil)),
            ("++auto", .unknownProbe(suggestion: nil)),
            ("Auto", .unknownProbe(suggestion: "auto")), ("ping", .unknownProbe(suggestion: nil)),
            ("tpc:a:1", .unknownProbe(suggestion: "tcp")),
            ("neighbuor", .unknownProbe(suggestion: "neighbour")),
            ("auto:x", .probeTakesNothing("auto")), ("none:", .probeTakesNothing("none")),
            ("+none", .noneIsRequired),
            ("neighbour:", .hostMissing), ("neighbour:router", .notAnAddress("router")),
            ("icmp:", .hostMissing),
            ("icmp:fe80::1%wlan0", .notAHost("fe80::1%wlan0")), ("icmp:300.1.1.1", .notAHost("300.1.1.1")),
            ("icmp:a b", .notAHost("a b")), ("icmp:-a", .notAHost("-a")), ("icmp:a..b", .notAHost("a..b")),
            ("icmp:.", .notAHost(".")), ("icmp:a_b", .notAHost("a_b")), ("icmp:12345", .notAHost("12345")),
            ("tcp", .hostMissing), ("tcp:", .hostMissing), ("tcp:host", .portMissing),
            ("tcp:host:", .portMissing),
            ("tcp::80", .hostMissing), ("tcp:host:0", .notAPort("0")), ("tcp:host:65536", .notAPort("65536")),
            ("tcp:host:+80", .notAPort("+80")), ("tcp:host:http", .notAPort("http")),
            ("tcp:fd00::1:80", .bracketsMissing), ("tcp:fd00::1", .bracketsMissing),
            ("tcp:[fd00::1]", .portMissing),
            ("tcp:[fd00::1]80", .portMissing), ("tcp:[fd00::1", .notAHost("[fd00::1")),
            ("tcp:[192.0.2.1]:80", .notAHost("[192.0.2.1]:80")), ("tcp:[]:80", .notAHost("[]:80")),
            ("dns:a", .notYet("dns")), ("http://a", .notYet("http")), ("command:/a", .notYet("command")),
        ] as [(String, ValueProblem)])
    func refuses(text: String, problem: ValueProblem) {
        #expect(throws: problem) { try ProbeText.parse(text) }
    }

    @Test("a host name has at most 253 bytes, and a label 63")
    func longNames() {
        let label = String(repeating: "a", count: 63)
        #expect(HostText.parse(label) != nil)
        #expect(HostText.parse(label + "a") == nil)
        let name =
            Array(repeating: label, count: 3).joined(separator: ".") + "." + String(repeating: "b", count: 61)
        #expect(name.utf8.count == 253 && HostText.parse(name) != nil)
        #expect(HostText.parse(name + "b") == nil)
    }

    @Test("a sign that makes one character with the full stop behind it is no part of a name")
    func prependedMark() {
        #expect(HostText.parse("neighbour\u{601}.") == nil)
        #expect(HostText.parse("neighbour.") == .name("neighbour."))
    }
}
