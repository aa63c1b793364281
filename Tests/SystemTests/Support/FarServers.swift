import Foundation

/// Real servers at the far end: dnsmasq for DNS, and a script for HTTP and for name servers that no real
/// program simulates. All of them end with the object.
final class FarServers {
    let link: VirtualLink
    private var children: [Child] = []

    /// Another address of the far end, for servers whose address must differ from the gateway's.
    static let server = "198.51.100.53"
    /// A link-local address of the far end, which only name servers use.
    static let linkLocalServer = "fe80::53"
    /// A name that dnsmasq answers. Names that it does not know are refused, because it has no upstream
    /// server.
    static let host = "web.example"
    /// A name that has only an IPv6 address, that of the far end.
    static let hostOverIPv6 = "six-web.example"

    init(_ link: VirtualLink) throws {
        self.link = link
        try link.farIP("address add \(Self.server)/32 dev lo")
        try link.farIP("link set lo up")
        try link.farIP("address add \(Self.linkLocalServer)/64 dev \(VirtualLink.far) nodad")
    }

    // MARK: DNS

    /// Starts dnsmasq, and waits until it listens.
    func serveNames() throws {
        let known = [
            "/\(Self.host)/\(VirtualLink.farAddress)", "/public.example/93.184.216.34",
            "/lie.example/127.0.0.1",
            "/zero.example/0.0.0.0", "/private.example/10.1.2.3", "/nas.lan/10.1.2.3", "/gone.example/",
            "/six.example/2606:2800:220:1::1", "/\(Self.hostOverIPv6)/\(VirtualLink.farAddressIPv6)",
        ]
        let addresses = [
            VirtualLink.farAddress, VirtualLink.farAddressIPv6, Self.server, Self.linkLocalServer,
        ]
        try start(
            [
                "dnsmasq", "--keep-in-foreground", "--conf-file=/dev/null", "--no-resolv", "--no-hosts",
                "--port=53",
                "--pid-file=", "--user=root", "--bind-interfaces",
            ] + addresses.map { "--listen-address=\($0)" } + known.map { "--address=\($0)" })
        try eventually("dnsmasq listens", detail: children.last?.transcript ?? "") { try listens("udp", 53) }
    }

    /// A name server that answers every question in the same way: `servfail`, `garbage`, `empty`.
    func serveNames(wrongly way: String) throws {
        try start(["python3", "-c", Self.script, "dns", VirtualLink.farAddress, way])
        try eventually("it listens", detail: children.last?.transcript ?? "") { try listens("udp", 53) }
    }

    // MARK: HTTP

    /// Starts the web server on port 80 of all addresses of the far end, IPv4 and IPv6.
    func servePages() throws {
        try start(["python3", "-c", Self.script, "http", "", "80"])
        try eventually("it listens", detail: children.last?.transcript ?? "") { try listens("tcp", 80) }
    }

    /// Starts the web server with TLS on a port, with the certificate and key in a file.
    func servePages(port: Int, certificate: URL) throws {
        try start(["python3", "-c", Self.script, "https", "", "\(port)", certificate.path])
        try eventually("it listens", detail: children.last?.transcript ?? "") { try listens("tcp", port) }
    }

    private func start(_ command: [String]) throws {
        children.append(try Child(["ip", "netns", "exec", link.farNamespace] + command))
    }

    private func listens(_ kind: String, _ port: Int) throws -> Bool {
        let option = kind == "udp" ? "-Hlun" : "-Hltn"
        return !(try shell("ip netns exec \(link.farNamespace) ss \(option) sport = :\(port)")).isEmpty
    }

    // MARK: Rules

    /// Loads rules of nftables in one of the two namespaces.
    func rules(in namespace: String, _ text: String) throws {
        let file = link.directory.appendingPathComponent("rules-\(UUID().uuidString)")
        try Data(text.utf8).write(to: file)
        try shell("ip netns exec \(namespace) nft -f \(file.path)")
    }

    // MARK: Certificates

    /// Makes a certificate authority for this test alone, and certificates that it has signed: `good` for
    /// `host`, `wrong` for another host, and `old`, which has expired. Each is a file NAME.pem with its key
    /// in the link's directory.
    func makeCertificates() throws {
        let script = """
            set -e
            cd \(link.directory.path)
            key='-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes'
            openssl req -x509 $key -keyout ca.key -out ca.pem -subj /CN=authority -days 2
            touch issued
            cat >ca.conf <<END
            [ca]
            default_ca = authority
            [authority]
            database = issued
            new_certs_dir = .
            rand_serial = yes
            default_md = sha256
            policy = any
            [any]
            commonName = supplied
            END
            leaf() {
                openssl req $key -keyout $1.key -out $1.csr -subj /CN=$1
                echo "subjectAltName=DNS:$2" >$1.ext
                openssl ca -batch -notext -config ca.conf -cert ca.pem -keyfile ca.key -in $1.csr -out $1.crt \
                    -extfile $1.ext $3
                cat $1.key $1.crt >$1.pem
            }
            leaf good \(Self.host) '-days 2'
            leaf wrong other.example '-days 2'
            leaf old \(Self.host) '-startdate 20200101000000Z -enddate 20200102000000Z'
            """
        let outcome = try Child(["sh", "-c", script]).outcome()
        guard outcome.status == 0 else { throw CommandFailure(command: "openssl", outcome: outcome) }
    }

    func certificate(_ name: String) -> URL { link.directory.appendingPathComponent("\(name).pem") }

    /// The words before a command that is to see other files in place of the machine's, such as its name
    /// servers and certificate authorities. They are mounted in a mount namespace of its own.
    func replacing(_ files: [(path: String, with: URL)]) -> [String] {
        let mounts = files.map { "mount --bind \($0.with.path) \($0.path)" }.joined(separator: " && ")
        return ["unshare", "--mount", "sh", "-c", "\(mounts) && exec \"$0\" \"$@\""]
    }

    func resolverConfiguration(_ text: String) throws -> (path: String, with: URL) {
        let file = link.directory.appendingPathComponent("resolv.conf")
        try Data(text.utf8).write(to: file)
        return ("/etc/resolv.conf", file)
    }

    var authority: (path: String, with: URL) { ("/etc/ssl/certs/ca-certificates.crt", certificate("ca")) }

    private static let script = #"""
        import http.server, socket, socketserver, ssl, struct, sys, time

        def names(address, way):
            s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            s.bind((address, 53))
            while True:
                q, who = s.recvfrom(2048)
                if way == 'garbage': s.sendto(q[:2] + b'\x84\x00' + q[4:6] + b'\x00\x05' + b'\x00' * 4 + q[12:] + b'\xc0\xff' * 9, who)
                if way == 'servfail': s.sendto(q[:2] + b'\x84\x02' + q[4:], who)
                if way == 'empty': s.sendto(q[:2] + b'\x84\x00' + q[4:], who)

        class Pages(http.server.BaseHTTPRequestHandler):
            def log_message(self, *rest): pass
            def page(self, status, body=b'', headers={}):
                self.send_response(status)
                for name, value in headers.items(): self.send_header(name, value)
                if status != 204: self.send_header('Content-Length', str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            def forever(self, *parts, pause=0):
                self.wfile.write(parts[0])
                while True:
                    self.wfile.write(parts[1])
                    self.wfile.flush()
                    time.sleep(pause)
            def do_GET(self):
                ok = b'HTTP/1.1 200 OK\r\n'
                kinds = {
                    '/204': lambda: self.page(204),
                    '/page': lambda: self.page(200, b'<html>Success</html>'),
                    '/redirect': lambda: self.page(302, b'', {'Location': 'http://portal.example/\x1b[31m'}),
                    '/511': lambda: self.page(511, b'log in'),
                    '/500': lambda: self.page(500, b'sorry'),
                    '/slow': lambda: self.forever(ok + b'\r\n', b'x', pause=0.1),
                    '/header': lambda: self.forever(ok, b'X-Y: ' + b'z' * 90 + b'\r\n'),
                    '/line': lambda: self.forever(ok + b'X-Y: ', b'z' * 4096),
                    '/huge': lambda: self.forever(ok + b'\r\n', b'z' * 65536),
                    '/silent': lambda: time.sleep(60),
                    '/nothing': lambda: None,
                    '/garbage': lambda: self.wfile.write(b'\x00SSH-2.0-x\r\n'),
                }
                try: kinds.get(self.path, lambda: self.page(404))()
                except OSError: pass

        class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
            address_family = socket.AF_INET6
            daemon_threads = True
            def handle_error(self, *rest): pass

        kind, address, word = sys.argv[1:4]
        if kind == 'dns': names(address, word)
        server = Server((address, int(word)), Pages)
        if kind == 'https':
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(sys.argv[4])
            server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        server.serve_forever()
        """#
}

/// The result of one `probe` with one probe.
struct Evidence: CustomStringConvertible {
    var status: Int32
    /// `ok`, `failed` or `unknown`.
    var result: String
    var detail: String
    /// In milliseconds.
    var roundTrip: Double?
    var layer: String?
    var words: String

    var description: String { "\(result): \(detail) (status \(status), layer \(layer ?? "none"))\n\(words)" }

    /// Runs `probe` with this probe alone, on the near end.
    static func of(
        _ probe: String, _ link: VirtualLink, prefix: [String] = [], timeout: String = "10s"
    ) throws -> Evidence {
        let outcome = try link.start(
            "probe", ["--json", "--timeout", timeout, "--probe", probe], prefix: prefix
        ).outcome()
        let object = outcome.objects.first ?? [:]
        let rows = object["evidence"] as? [[String: Any]] ?? []
        let kind = probe.prefix { $0 != ":" }
        let row = rows.first { ($0["probe"] as? String)?.hasPrefix(kind + " ") == true } ?? [:]
        return Evidence(
            status: outcome.status, result: row["result"] as? String ?? "none",
            detail: row["detail"] as? String ?? "", roundTrip: row["rtt_ms"] as? Double,
            layer: object["layer"] as? String, words: "\(outcome)")
    }
}
