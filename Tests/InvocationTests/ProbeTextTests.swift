import Model
import Testing

@testable import Invocation

@Suite("Probes as text")
struct ProbeTextTests {
    private static let v4 = IPAddress("192.0.2.1")!
    private static let v6 = IPAddress("fd00::1")!

    @Test(
        "a probe is read in each notation of the manual",
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
            ("dns:example.net", ProbeSpec(.dns(name: "example.net", server: nil))),
            (
                "+dns:a-b.example.net.@fd00::1",
                ProbeSpec(.dns(name: "a-b.example.net.", server: v6), isRequired: true)
            ),
            ("dns:router@192.0.2.1", ProbeSpec(.dns(name: "router", server: v4))),
            ("http:http://example.net", page("http://example.net")),
            ("http:https://example.net:8443/a?b=c,d#e", page("https://example.net:8443/a?b=c,d#e")),
            ("http:http://192.0.2.1/", page("http://192.0.2.1/")),
            ("http:http://[fd00::1]:80/", page("http://[fd00::1]:80/")),
            ("http:http://a/@:b", page("http://a/@:b")), ("http:http://a?u@b", page("http://a?u@b")),
            ("http:http://a/ status=200", page("http://a/", .status(200))),
            ("http:http://a/ status=599", page("http://a/", .status(599))),
            ("http:http://a/ body=all is  well = ä", page("http://a/", .body("all is  well = ä"))),
            ("command:/usr/local/bin/check", ProbeSpec(.command(path: "/usr/local/bin/check"))),
            ("+command:/a b/c:d@e", ProbeSpec(.command(path: "/a b/c:d@e"), isRequired: true)),
            ("tcp:3com.example:443", ProbeSpec(.tcp(.name("3com.example"), port: 443))),
        ])
    func reads(text: String, probe: ProbeSpec) throws {
        #expect(try ProbeText.parse(text) == probe)
    }

    @Test(
        "text that is not a probe is refused with the reason",
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
            ("dns", .nameMissing), ("dns:", .nameMissing), ("dns:@192.0.2.1", .nameMissing),
            ("dns:192.0.2.1", .notAName("192.0.2.1")), ("dns:a_b", .notAName("a_b")),
            ("dns:a@", .notAServer("")), ("dns:a@b", .notAServer("b")),
            ("dns:a@192.0.2.1@b", .notAServer("192.0.2.1@b")), ("dns:a@[fd00::1]", .notAServer("[fd00::1]")),
            ("http", .badURL(.empty)), ("http:", .badURL(.empty)), ("http: status=200", .badURL(.empty)),
            ("http://example.net/", .urlAlone), ("https://example.net/", .urlAlone),
            ("http:example.net", .badURL(.noScheme)), ("http:http:/a", .badURL(.noScheme)),
            ("http:ftp://a/", .badURL(.otherScheme("ftp"))),
            ("http:HTTP://a/", .badURL(.otherScheme("HTTP"))),
            ("http:file:///etc/passwd", .badURL(.otherScheme("file"))),
            ("http:http://", .badURL(.noHost)), ("http:http:///x", .badURL(.noHost)),
            ("http:http://:80/", .badURL(.noHost)), ("http:http://?a", .badURL(.noHost)),
            ("http:http://u@a/", .badURL(.userInformation)),
            ("http:http://u:p@a/", .badURL(.userInformation)),
            ("http:http://a:80@b/", .badURL(.userInformation)),
            ("http:http://a b/", .notAnExpectation("b/")),
            ("http:http://a_b/", .badURL(.notAHost("a_b"))),
            ("http:http://a%62/", .badURL(.notAHost("a%62"))),
            ("http:http://1.2.3/", .badURL(.notAHost("1.2.3"))),
            ("http:http://fd00::1/", .badURL(.notAHost("fd00::1"))),
            ("http:http://[fd00::1/", .badURL(.notAHost("[fd00::1"))),
            ("http:http://[192.0.2.1]/", .badURL(.notAHost("[192.0.2.1]"))),
            ("http:http://[fd00::1]x/", .badURL(.notAHost("[fd00::1]x"))),
            ("http:http://a:/", .badURL(.notAPort(""))), ("http:http://a:0/", .badURL(.notAPort("0"))),
            ("http:http://a:80x/", .badURL(.notAPort("80x"))),
            ("http:http://a\\@b/", .badURL(.badCharacter)), ("http:http://ä/", .badURL(.badCharacter)),
            ("http:http://a/\n", .badURL(.badCharacter)),
            ("http:http://a/\tstatus=200", .badURL(.badCharacter)),
            ("http:http://a/\0", .badURL(.badCharacter)), ("http:http://a/\u{7f}", .badURL(.badCharacter)),
            ("http:http://a/ ", .notAnExpectation("")), ("http:http://a/ 200", .notAnExpectation("200")),
            ("http:http://a/ status", .notAnExpectation("status")),
            ("http:http://a/ Status=200", .notAnExpectation("Status=200")),
            ("http:http://a/  status=200", .notAnExpectation(" status=200")),
            ("http:http://a/ status=", .notAStatus("", 200...599)),
            ("http:http://a/ status=99", .notAStatus("99", 200...599)),
            ("http:http://a/ status=199", .notAStatus("199", 200...599)),
            ("http:http://a/ status=600", .notAStatus("600", 200...599)),
            ("http:http://a/ status=+20", .notAStatus("+20", 200...599)),
            ("http:http://a/ status=0200", .notAStatus("0200", 200...599)),
            ("http:http://a/ body=", .notABody(200)), ("http:http://a/ body=a\nb", .notABody(200)),
            ("http:http://a/ body=\u{1b}[2J", .notABody(200)),
            ("command", .pathMissing), ("command:", .pathMissing),
            ("command:check", .pathNotAbsolute("check")), ("command:./check", .pathNotAbsolute("./check")),
            ("command:~/check", .pathNotAbsolute("~/check")), ("command:/", .notAPath("/")),
            ("command:/usr/bin/", .notAPath("/usr/bin/")), ("command:/a\nb", .notAPath("/a\nb")),
            ("command:/a\0b", .notAPath("/a\0b")),
        ] as [(String, ValueProblem)])
    func refuses(text: String, problem: ValueProblem) {
        #expect(throws: problem) { try ProbeText.parse(text) }
    }

    private static func page(
        _ url: String, _ expectation: HTTPQuestion.Expectation = .status(204)
    ) -> ProbeSpec { ProbeSpec(.http(HTTPQuestion(url: url, expectation: expectation))) }

    @Test("a URL, a body or a path that is too long is refused")
    func lengths() {
        let room = 1024 - "http://a/".utf8.count
        for (text, problem) in [
            ("http:http://a/" + String(repeating: "x", count: room), nil),
            ("http:http://a/" + String(repeating: "x", count: room + 1), .badURL(.tooLong)),
            ("http:http://a/ body=" + String(repeating: "x", count: 200), nil),
            ("http:http://a/ body=" + String(repeating: "x", count: 201), .notABody(200)),
            ("command:/" + String(repeating: "x", count: 4094), nil),
            (
                "command:/" + String(repeating: "x", count: 4095),
                .notAPath("/" + String(repeating: "x", count: 4095))
            ),
        ] as [(String, ValueProblem?)] {
            if let problem {
                #expect(throws: problem) { try ProbeText.parse(text) }
            } else {
                #expect(throws: Never.self) { try ProbeText.parse(text) }
            }
        }
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

    @Test("a host name whose last full stop combines with the character before it is refused")
    func prependedMark() {
        #expect(HostText.parse("neighbour\u{601}.") == nil)
        #expect(HostText.parse("neighbour.") == .name("neighbour."))
    }
}
