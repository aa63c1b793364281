import HelperProtocol
import Model
import Testing
import Toggling

@testable import Invocation
@testable import Reporting

@Suite("The text of DNS, HTTP and command probes") struct ProbeWordsTests {
    private static let name = ProbeRequest.Question.dns(name: "example.net", server: nil)
    private static let server = ProbeRequest.Question.dns(
        name: "example.net", server: .v4(0xc000_0235))
    private static let page = ProbeRequest.Question.http(HTTPQuestion(url: "http://example.net/"))
    private static let command = ProbeRequest.Question.command("/usr/local/bin/check")

    @Test(
        "the longest URL that the command line accepts fits into a request, and a longer URL is refused")
    func longestURL() {
        let start = "http://example.net/"
        let longest = start + String(repeating: "x", count: HelperRequest.longestURL - start.count)
        #expect(URLText.problem(of: longest) == nil && URLText.problem(of: longest + "x") == .tooLong)
        let request = HelperRequest(
            id: 1, question: .http(url: longest, .body(String(repeating: "x", count: 200))),
            interface: "wlan0",
            index: InterfaceIndex(rawValue: 3),
            servers: Array(repeating: IPAddress("2001:db8::1")!, count: HelperRequest.maximumServers),
            timeout: .seconds(3))
        #expect(HelperRequest(request.bytes) == request)
    }

    @Test(
        "a reason is a sentence that names the source of the answer",
        arguments: [
            (
                .nameServerSilent([name]),
                "no name server answers dns example.net; the gateway is not at fault"
            ),
            (.answerWrong(server, detail: "REFUSED"), "dns example.net at 192.0.2.53: REFUSED"),
            (.answerWrong(command, detail: "no VPN"), "command /usr/local/bin/check: no VPN"),
            (
                .portal(page, detail: "redirected to login.example"),
                "a login page (captive portal) answers in place of the Internet: http http://example.net/:"
                    + " redirected to login.example"
            ),
            (
                .commandUndecided("/c", Failure(kind: .other, description: "ended with status 3")),
                "command /c gave no verdict: ended with status 3"
            ),
            (.probeAnswered(name), "a name server of the link knows example.net"),
            (.probeAnswered(server), "the name server 192.0.2.53 knows example.net"),
            (.probeAnswered(page), "http://example.net/ answered as expected"),
            (.probeAnswered(command), "/usr/local/bin/check reports that all is well"),
        ] as [(Reason, String)])
    func reasons(reason: Reason, sentence: String) { #expect(reason.description == sentence) }

    @Test("the reason of a portal has a remedy")
    func remedy() {
        let sentence = Reason.portal(Self.page, detail: "no").description(interface: "wlan0")
        #expect(sentence.hasSuffix("(log in with a browser)"))
    }

    @Test("a wrong answer counts as failed, with its round trip and text")
    func evidence() {
        let result = ProbeResult.refuted(layer: .dns, roundTrip: .milliseconds(7), detail: "SERVFAIL")
        let row = Evidence.probe(Self.name, result).row
        #expect(
            row
                == Evidence.Row(
                    probe: "dns example.net", result: .failed, roundTrip: .milliseconds(7), detail: "SERVFAIL"
                ))
    }
}
