import Foundation
import Glibc
import Testing

/// dnsmasq stands in for systemd-resolved, at its address, and another dnsmasq at the far end is its name
/// server. A script stands in for systemctl; each test says what its restart does.
@Suite("systemd-resolved that hangs or fails", .needsRoot)
struct ResolverTests {
    private static let resolver = "127.0.0.53"
    private static let name = "public.example"

    private let link: VirtualLink
    private let far: FarServers

    init() throws {
        link = try VirtualLink()
        far = try FarServers(link)
        try far.serveNames()
        try link.nearIP("link set lo up")
    }

    /// Starts a resolver with these answers (dnsmasq(8), `--address`).
    private func resolver(_ answers: [String] = ["/\(name)/93.184.216.34"]) throws -> Child {
        let child = try near(
            [
                "dnsmasq", "--keep-in-foreground", "--conf-file=/dev/null", "--no-resolv", "--no-hosts",
                "--port=53",
                "--pid-file=", "--user=root", "--bind-interfaces", "--listen-address=\(Self.resolver)",
            ] + answers.map { "--address=\($0)" })
        try listens(child)
        return child
    }

    private func near(_ command: [String]) throws -> Child {
        try Child(["ip", "netns", "exec", link.nearNamespace] + command)
    }

    private func listens(_ child: Child) throws {
        try eventually("the resolver listens", detail: child.transcript) {
            !(try shell("ip netns exec \(link.nearNamespace) ss -Hlun sport = :53")).isEmpty
        }
    }

    private var calls: [String] {
        ((try? String(contentsOf: link.directory.appendingPathComponent("calls"), encoding: .utf8)) ?? "")
            .split(separator: "\n").map(String.init)
    }
    private var restarts: Int { calls.count { $0.hasSuffix("restart -- systemd-resolved.service") } }

    /// Runs the program with a /run and a systemctl of its own, until it ends.
    private func run(_ command: String, _ words: [String], state: String = "active", restart: String) throws
        -> RunOutcome
    {
        let calls = link.directory.appendingPathComponent("calls").path
        let systemctl = try link.install(
            """
            echo "$*" >>\(calls)
            case "$1 $2" in
            show*) echo Id=systemd-resolved.service; echo ActiveState=\(state) ;;
            "--no-ask-password restart") \(restart) ;;
            esac
            """, at: "systemctl")
        let script = """
            mount -t tmpfs none /run && mkdir -p /run/systemd/resolve && mount --bind \(systemctl) /usr/bin/systemctl &&
            echo 'nameserver \(FarServers.server)' >/run/systemd/resolve/resolv.conf &&
            echo 'nameserver \(Self.resolver)' >/run/resolv.conf && mount --bind /run/resolv.conf /etc/resolv.conf &&
            exec "$0" "$@"
            """
        return try link.start(command, words, prefix: ["unshare", "--mount", "sh", "-c", script])
            .outcome(within: .seconds(60))
    }

    private func reconnect(_ words: [String] = [], state: String = "active", restart: String = ":") throws
        -> RunOutcome
    {
        let options = [
            "--json", "--fall", "1", "--settle", "10s", "--timeout", "1s", "--probe", "auto", "--probe",
            "dns:\(Self.name)@\(Self.resolver)",
        ]
        return try run("reconnect", options + words, state: state, restart: restart)
    }

    @Test("a resolver that hangs is restarted, and names are resolved again, on a link that stays up")
    func hangs() throws {
        let child = try resolver()
        defer { child.send(SIGCONT) }
        let healthy = try reconnect()
        #expect(healthy.status == 0 && calls.isEmpty, "it costs nothing while names are resolved: \(healthy)")
        child.send(SIGSTOP)
        let outcome = try reconnect(restart: "kill -CONT \(child.processIdentifier)")
        let cycle = outcome.objects.first ?? [:]
        #expect(outcome.status == 0 && cycle["action"] as? String == "recovered", "\(outcome)")
        #expect(
            cycle["methods"] as? [String] == ["restart-owner"] && cycle["down_ms"] as? Int == 0, "\(outcome)")
        #expect(
            outcome.standardError.contains("systemd-resolved runs, and does not resolve names"), "\(outcome)")
        #expect(
            calls.suffix(2) == [
                "--no-ask-password kill --signal=SIGKILL -- systemd-resolved.service",
                "--no-ask-password restart -- systemd-resolved.service",
            ])
    }

    @Test("a restart that does not help is not repeated, and no bounce follows")
    func inVain() throws {
        let child = try resolver()
        defer { child.send(SIGCONT) }
        _ = try reconnect()
        child.send(SIGSTOP)
        let first = try reconnect(["--backoff", "0"])
        #expect(first.status == 1 && restarts == 1, "\(first)")
        let second = try reconnect(["--backoff", "0", "--bounce-on", "dns"])
        #expect(second.status == 1 && restarts == 1, "\(second)")
        #expect(second.objects.first?["methods"] as? [String] == [], "\(second)")
    }

    @Test("if the resolver's name server does not answer either, the resolver is not restarted")
    func providers() throws {
        let child = try resolver()
        defer { child.send(SIGCONT) }
        _ = try reconnect()
        child.send(SIGSTOP)
        let rule = "table inet t { chain c { type filter hook input priority 0; udp dport 53 drop; }; }"
        try far.rules(in: link.farNamespace, rule)
        let outcome = try reconnect()
        #expect(outcome.status == 1 && calls.isEmpty, "\(outcome)")
        #expect(outcome.objects.first?["layer"] as? String == "dns", "\(outcome)")
    }

    @Test(
        "a resolver that answers 'no such name' is not restarted; one that fails, or does not run, is",
        arguments: [("missing", 0), ("servfail", 1), ("none", 1)])
    func answers(way: String, count: Int) throws {
        var child: Child?
        switch way {
        case "missing": child = try resolver(["/\(Self.name)/"])
        case "servfail":
            child = try near(["python3", "-c", Self.failing, Self.resolver])
            try listens(child!)
        default: break
        }
        let outcome = try reconnect(state: way == "none" ? "failed" : "active")
        #expect(outcome.status == 1 && restarts == count, "\(outcome)\n\(calls)")
        #expect(calls.contains { $0.contains(" kill ") } == (way == "servfail"), "\(calls)")
        withExtendedLifetime(child) {}
    }

    @Test("a resolver that a user has stopped is left alone")
    func stopped() throws {
        let outcome = try reconnect(state: "inactive")
        #expect(outcome.status == 1 && restarts == 0, "\(outcome)")
    }

    @Test("doctor finds a resolver that hangs, and not one that works")
    func doctor() throws {
        let child = try resolver(["/localhost/127.0.0.1"])
        defer { child.send(SIGCONT) }
        let reason = "systemd-resolved runs, and does not resolve names"
        let well = try run("doctor", ["--json"], restart: ":")
        #expect(!well.standardOutput.contains(reason) && calls.isEmpty, "\(well)")
        child.send(SIGSTOP)
        let outcome = try run("doctor", ["--json"], restart: ":")
        let finding = outcome.objects.first { $0["finding"] as? String == "owner-hung" }
        #expect(finding?["reason"] as? String == reason, "\(outcome)")
        #expect(restarts == 0)
    }

    private static let failing = """
        import socket, sys
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.bind((sys.argv[1], 53))
        while True:
            q, who = s.recvfrom(2048)
            s.sendto(q[:2] + b'\\x84\\x02' + q[4:], who)
        """
}
