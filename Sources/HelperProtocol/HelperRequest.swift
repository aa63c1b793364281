import Model

/// One question to the helper (wifi-toggler-prober), as a message on the socket between the two processes.
///
/// Neither process trusts the other. The helper uses only what it has parsed here, and exits at the first
/// invalid message.
public struct HelperRequest: Hashable, Sendable {
    /// What the helper is asked.
    public enum Question: Hashable, Sendable {
        /// A DNS query for the addresses of a name (types A and AAAA). `expectsPrivate`: private addresses
        /// are correct, although the name looks public.
        case dns(name: String, expectsPrivate: Bool)
        /// One GET request for an `http:` or `https:` URL.
        case http(url: String, Expectation)
    }

    /// The expected answer of a web server.
    public enum Expectation: Hashable, Sendable {
        /// This status (RFC 9110, section 15), 100 to 599.
        case status(Int)
        /// Any status from 200 to 299, and this text in the first 16 KiB of the body.
        case body(String)
    }

    /// Unique among the questions to this helper.
    public var id: UInt32
    public var question: Question
    /// The name of the interface through which every packet of the question leaves.
    public var interface: String
    public var index: InterfaceIndex
    /// The name servers to ask, at most `maximumServers`.
    public var servers: [IPAddress]
    /// The time-out, from when the helper has read the request: 1 ms to 10 minutes, in whole milliseconds.
    public var timeout: Duration

    public init(
        id: UInt32, question: Question, interface: String, index: InterfaceIndex, servers: [IPAddress],
        timeout: Duration
    ) {
        self.id = id
        self.question = question
        self.interface = interface
        self.index = index
        self.servers = servers
        self.timeout = timeout
    }

    /// The most name servers: as many as resolv.conf(5) allows (MAXNS).
    public static let maximumServers = 3
    /// The longest domain name as text, in bytes (RFC 1035).
    public static let longestName = 253
    public static let longestURL = 1024
    public static let longestExpectation = 256
    /// IFNAMSIZ (netdevice(7)) less the terminating NUL.
    static let longestInterface = 15
    static let longestTimeout: UInt32 = 600_000
    /// The longest message in bytes; a longer one is invalid.
    public static let longest = 2048
}

// MARK: On the wire

extension HelperRequest {
    private static let magic: UInt8 = 0x51  // Q

    private enum Kind: UInt8 {
        case dns = 1
        case dnsExpectingPrivate
        case httpStatus
        case httpBody
    }

    /// The request as a message. A field that is too long is cut, so that the message is invalid or means
    /// another request. Therefore the sender checks that the message can be read back unchanged.
    public var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.number(Self.magic)
        writer.number(id)
        writer.number(UInt32(bitPattern: index.rawValue))
        writer.text(interface, limit: Self.longestInterface)
        writer.number(Self.milliseconds(timeout))
        writer.number(UInt8(min(servers.count, Self.maximumServers)))
        for server in servers.prefix(Self.maximumServers) { writer.bytes(server.bytes) }
        switch question {
        case .dns(let name, let expectsPrivate):
            writer.number((expectsPrivate ? Kind.dnsExpectingPrivate : .dns).rawValue)
            writer.text(name, limit: Self.longestName)
        case .http(let url, .status(let status)):
            writer.number(Kind.httpStatus.rawValue)
            writer.text(url, limit: Self.longestURL)
            writer.number(UInt16(clamping: status))
        case .http(let url, .body(let text)):
            writer.number(Kind.httpBody.rawValue)
            writer.text(url, limit: Self.longestURL)
            writer.text(text, limit: Self.longestExpectation)
        }
        return writer.bytes
    }

    private static func milliseconds(_ duration: Duration) -> UInt32 {
        let (seconds, attoseconds) = min(max(duration, .zero), .milliseconds(longestTimeout)).components
        return max(1, UInt32(seconds * 1000 + attoseconds / 1_000_000_000_000_000))
    }

    /// Parses a message; nil: it is not exactly one valid request.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.longest else { return nil }
        var reader = ByteReader(bytes)
        guard reader.number(UInt8.self) == Self.magic, let id = reader.number(UInt32.self),
            let index = reader.number(UInt32.self), index > 0, let index = Int32(exactly: index),
            let interface = reader.text(limit: Self.longestInterface), Self.isName(interface),
            let milliseconds = reader.number(UInt32.self), (1...Self.longestTimeout).contains(milliseconds),
            let servers = Self.servers(&reader), let question = Self.question(&reader), reader.isAtEnd
        else { return nil }
        self.init(
            id: id, question: question, interface: interface, index: InterfaceIndex(rawValue: index),
            servers: servers, timeout: .milliseconds(Int64(milliseconds)))
    }

    /// Whether the kernel accepts the text as the name of an interface (dev_valid_name in net/core/dev.c).
    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && text != "." && text != ".."
            && text.utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ":") }
    }

    private static func servers(_ reader: inout ByteReader) -> [IPAddress]? {
        guard let count = reader.number(UInt8.self), count <= maximumServers else { return nil }
        var servers: [IPAddress] = []
        for _ in 0..<count {
            guard let bytes = reader.bytes(), let server = IPAddress(bytes: bytes) else { return nil }
            servers.append(server)
        }
        return servers
    }

    private static func question(_ reader: inout ByteReader) -> Question? {
        guard let kind = reader.number(UInt8.self).flatMap(Kind.init) else { return nil }
        switch kind {
        case .dns, .dnsExpectingPrivate:
            guard let name = reader.text(limit: longestName), HostName.isValid(name) else { return nil }
            return .dns(name: name, expectsPrivate: kind == .dnsExpectingPrivate)
        case .httpStatus:
            guard let url = url(&reader), let status = reader.number(UInt16.self),
                (100...599).contains(status)
            else { return nil }
            return .http(url: url, .status(Int(status)))
        case .httpBody:
            guard let url = url(&reader), let text = reader.anyText(limit: longestExpectation), !text.isEmpty
            else { return nil }
            return .http(url: url, .body(text))
        }
    }

    private static func url(_ reader: inout ByteReader) -> String? {
        guard let url = reader.text(limit: longestURL), !url.utf8.contains(0x20),
            url.hasPrefix("http://") || url.hasPrefix("https://")
        else { return nil }
        return url
    }
}
