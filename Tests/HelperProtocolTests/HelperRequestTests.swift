import Model
import Testing

@testable import HelperProtocol

/// Requests of every kind.
let requests: [HelperRequest] = [
    .dns(name: "www.example.com", expectsPrivate: false),
    .dns(name: "nas.home.arpa.", expectsPrivate: true),
    .http(url: "http://www.example.com/generate_204", .status(204)),
    .http(url: "https://[fd00::1]:8443/", .body("Alles in Ordnung, Grüße")),
].map { question in
    HelperRequest(
        id: 0xdead_beef, question: question, interface: "wlan0", index: InterfaceIndex(rawValue: 7),
        servers: [IPAddress("192.0.2.1")!, IPAddress("2001:db8::53")!], timeout: .milliseconds(2500))
}

/// A message with one byte replaced.
func changed(_ bytes: [UInt8], at position: Int, to byte: UInt8) -> [UInt8] {
    var bytes = bytes
    bytes[position] = byte
    return bytes
}

@Suite("Requests to the helper")
struct HelperRequestTests {
    @Test("each kind of request is read back as it was written", arguments: requests)
    func same(request: HelperRequest) {
        #expect(HelperRequest(request.bytes) == request)
        #expect(request.bytes.count <= HelperRequest.longest)
    }

    @Test("a request is encoded as the protocol's bytes")
    func bytes() {
        let request = HelperRequest(
            id: 1, question: .dns(name: "a.b", expectsPrivate: false), interface: "w0",
            index: InterfaceIndex(rawValue: 2), servers: [IPAddress("192.0.2.1")!], timeout: .seconds(1))
        #expect(
            request.bytes == [
                0x51, 0, 0, 0, 1,  // Q, id
                0, 0, 0, 2, 0, 2, 0x77, 0x30,  // index, "w0"
                0, 0, 3, 0xe8, 1, 4, 192, 0, 2, 1,  // 1000 ms, one server
                1, 0, 3, 0x61, 0x2e, 0x62,  // a name, "a.b"
            ])
    }

    @Test("a truncated request, and a request with bytes after its end, are invalid", arguments: requests)
    func whole(request: HelperRequest) {
        let bytes = request.bytes
        for count in bytes.indices { #expect(HelperRequest(Array(bytes.prefix(count))) == nil, "\(count)") }
        #expect(HelperRequest(bytes + [0]) == nil)
    }

    @Test(
        "a request with one byte changed is invalid, or can be written and read back", arguments: requests)
    func changes(request: HelperRequest) {
        let bytes = request.bytes
        for position in bytes.indices {
            for byte in [0, 1, 0x0a, 0x20, 0x2f, 0x7f, 0x80, 0xff] as [UInt8] {
                guard let read = HelperRequest(changed(bytes, at: position, to: byte)) else { continue }
                #expect(HelperRequest(read.bytes) == read, "\(position): \(byte)")
            }
        }
    }

    static let refused: [(String, @Sendable (inout HelperRequest) -> Void)] = [
        ("an interface without a name", { $0.interface = "" }),
        ("a path for a name", { $0.interface = "../lo" }),
        ("the name of a folder", { $0.interface = ".." }),
        ("a second line in a name", { $0.interface = "w\n0" }),
        ("an interface 0", { $0.index = InterfaceIndex(rawValue: 0) }),
        ("a negative interface", { $0.index = InterfaceIndex(rawValue: -1) }),
        ("no name", { $0.question = .dns(name: "", expectsPrivate: false) }),
        ("a name with an empty label", { $0.question = .dns(name: "a..b", expectsPrivate: false) }),
        ("a name that is an option", { $0.question = .dns(name: "-a", expectsPrivate: false) }),
        ("another scheme", { $0.question = .http(url: "file:///etc/passwd", .status(200)) }),
        ("two lines of a URL", { $0.question = .http(url: "http://a/\r\nX: y", .status(200)) }),
        ("a space in a URL", { $0.question = .http(url: "http://a/ b", .status(200)) }),
        ("no status", { $0.question = .http(url: "http://a/", .status(99)) }),
        ("a status beyond all", { $0.question = .http(url: "http://a/", .status(600)) }),
        ("a body of nothing", { $0.question = .http(url: "http://a/", .body("")) }),
    ]

    @Test("a request with an invalid field is refused", arguments: refused.indices)
    func refuses(row: Int) {
        let (what, change) = Self.refused[row]
        var request = requests[0]
        change(&request)
        #expect(HelperRequest(request.bytes) == nil, "\(what)")
    }

    @Test("a request with too long a URL or too many servers is read back changed, or not at all")
    func long() {
        var request = requests[0]
        request.question = .http(
            url: "http://a/" + String(repeating: "x", count: HelperRequest.longestURL), .status(204))
        #expect(HelperRequest(request.bytes) != request)
        request = requests[0]
        request.servers = Array(repeating: .v4(1), count: HelperRequest.maximumServers + 1)
        #expect(HelperRequest(request.bytes) != request)
    }
}

@Suite("Host names")
struct HostNameTests {
    @Test(
        "only valid host names are accepted",
        arguments: [
            ("a", true), ("www.example.com", true), ("www.example.com.", true), ("_dns.resolver.arpa", true),
            ("xn--bcher-kva.example", true), ("", false), (".", false), ("a..b", false), (".a", false),
            ("-a", false), ("a b", false), ("bücher.example", false), ("a/b", false), ("a:1", false),
            (String(repeating: "a", count: 63), true), (String(repeating: "a", count: 64), false),
            (String(repeating: "a.", count: 126) + "a", true),
            (String(repeating: "a.", count: 127) + "a", false),
        ])
    func valid(name: String, isValid: Bool) { #expect(HostName.isValid(name) == isValid) }

    @Test(
        "a host name is recognised as public or private",
        arguments: [
            ("www.example.com", true), ("EXAMPLE.ORG.", true), ("1.0.168.192.in-addr.arpa", true),
            ("printer", false), ("nas.lan", false), ("NAS.Home.Arpa", false), ("fritz.box", false),
            ("intranet.corp", false), ("a.localhost", false),
        ])
    func publicity(name: String, isPublic: Bool) { #expect(HostName.isPublic(name) == isPublic) }
}
