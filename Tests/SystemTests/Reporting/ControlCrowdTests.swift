import Foundation
import Glibc
import Testing

/// Readers of the control socket must not keep root from using the service.
@Suite("Many clients of the control socket", .serialized, .needsRoot)
struct ControlCrowdTests {
    private let link: VirtualLink
    private let user: ServiceUser
    private let service: Child

    init() throws {
        link = try VirtualLink()
        user = try ServiceUser(link)
        let service = try link.start(
            "run", ["--json", "--interval", "1h", "--probe", "none"], prefix: user.asService)
        try eventually("the first cycle", detail: service.transcript) { service.cycles == 1 }
        self.service = service
    }

    /// Runs a reader's script in Perl, which can use `connected()` for a new connection and `call(…)` for the
    /// text of a call.
    private func reader(_ script: String, as who: [String]? = nil) throws -> Child {
        let words = """
            use IO::Socket::UNIX; $| = 1; $SIG{PIPE} = "IGNORE";
            sub connected { IO::Socket::UNIX->new(Peer => "\(link.controlSocket)") }
            sub call { qq({"method":"wifitoggler.Control.$_[0]","parameters":{},"$_[1]":true}\\0) }
            \(script)
            """
        return try Child((who ?? user.asAnybody) + ["perl", "-e", words])
    }

    private func expectStatus() throws {
        let words = ["status", "--config", link.configuration.path, "--run-dir", link.runDirectory.path]
        let outcome = try Child(user.asRoot + [Program.path] + words).outcome()
        #expect(outcome.status == 0, "\(outcome)")
    }

    /// Expects that the service bounces the link when root asks it.
    private func expectToggle(by service: Child, _ options: [String] = ["--wait", "60s"]) throws {
        let asked = service.standardError.count(of: "toggle requested")
        let outcome = try link.start("toggle", ["--delay", "100ms"] + options, prefix: user.asRoot)
            .outcome(within: .seconds(120))
        #expect(outcome.status == 0, "\(outcome)")
        #expect(service.standardError.count(of: "toggle requested") == asked + 1, "\(service.transcript)")
    }

    @Test("one user's clients get half of the connections, and root's commands still work")
    func monitors() throws {
        let crowd = try reader(
            """
            my @all = map { my $s = connected(); print $s call("Monitor", "more"); $s->flush; $s } 1..20;
            my $open = grep { sysread($_, my $b, 9999) } @all; print "$open open\\n"; sleep 60;
            """)
        try eventually("they are connected", detail: crowd.transcript) {
            crowd.standardOutput.contains("open")
        }
        #expect(crowd.standardOutput == "8 open\n")
        try expectStatus()
        try service.endService()
    }

    @Test("two users' clients get all connections, and root's status and bounce still get one")
    func everyPlace() throws {
        try service.endService()
        // Members of the group wifi-toggler may read. A service that runs as root can give the socket to the
        // group.
        let groups = link.directory.appendingPathComponent("group")
        let text = try String(contentsOfFile: "/etc/group", encoding: .utf8)
        try Data(("wifi-toggler:x:4242:\n" + text).utf8).write(to: groups)
        let service = try link.start(
            "run", ["--json", "--interval", "1h", "--probe", "none"],
            prefix: user.asRoot + ["sh", "-c", "mount --bind \(groups.path) /etc/group && exec \"$@\"", "sh"])
        try eventually("the first cycle", detail: service.transcript) { service.cycles == 1 }
        let script = """
            my @all = map { my $s = connected(); print $s call("Monitor", "more"); $s->flush; $s } 1..8;
            my $open = grep { sysread($_, my $b, 9999) } @all; print "$open open\\n"; sleep 60;
            """
        let crowds = try [64_614, 64_615].map { number in
            try reader(script, as: ["setpriv", "--reuid=\(number)", "--regid=4242", "--clear-groups"])
        }
        for crowd in crowds {
            try eventually("they are connected", detail: crowd.transcript) {
                crowd.standardOutput.contains("open")
            }
            #expect(crowd.standardOutput == "8 open\n")
        }
        try expectStatus()
        try expectToggle(by: service)
        try service.endService()
    }

    /// What a reader repeats for ever, by its description: Perl code with a new socket `$s`, the address
    /// `$to`, and the text `$w` of many calls.
    static let attempts = [
        "connect, and are gone": "connect($s, $to);",
        "connect without waiting": "$s->blocking(0); connect($s, $to);",
        "connect, and stay": "push @all, $s if connect($s, $to); shift @all if @all > 500;",
        "ask, and are gone": "connect($s, $to) and syswrite($s, $w);",
        "ask, and stay": "push @all, $s if connect($s, $to) and syswrite($s, $w); shift @all if @all > 500;",
    ]

    @Test(
        "clients that connect endlessly do not keep root from the service",
        arguments: attempts.keys.sorted())
    func connecting(_ attempt: String) throws {
        let crowd = try (0..<4).map { _ in
            try reader(
                """
                use Socket; my $to = sockaddr_un("\(link.controlSocket)"); my $w = call("Metrics", "more") x 50;
                my @all; print "begun\\n";
                while (1) { socket(my $s, AF_UNIX, SOCK_STREAM, 0) or next; \(Self.attempts[attempt]!) }
                """)
        }
        for flood in crowd {
            try eventually("it has begun", detail: flood.transcript) {
                flood.standardOutput.contains("begun")
            }
        }
        for _ in 0..<3 {
            try expectStatus()
            try expectToggle(by: service)
        }
        // Without --wait, as an administrator types it.
        try expectToggle(by: service, [])
        for flood in crowd { #expect(!flood.isOver, "\(flood.transcript)") }
        try service.endService()
    }

    @Test(
        "a client that sends thousands of calls does not keep root from the service",
        arguments: [true, false])
    func pipelined(_ reads: Bool) throws {
        let flood = try reader(
            """
            my $w = call("Metrics", "more") x 1000; print "begun\\n";
            while (1) {
                my $s = connected() or next; $s->blocking(0);
                while (1) {
                    my $sent = syswrite($s, $w); last if !defined $sent && !$!{EAGAIN};
                    \(reads ? "my $b; while (sysread($s, $b, 65536)) {}" : "")
                }
            }
            """)
        try eventually("it has begun", detail: flood.transcript) { flood.standardOutput.contains("begun") }
        for _ in 0..<3 {
            try expectStatus()
            try expectToggle(by: service)
        }
        try expectToggle(by: service, [])
        #expect(!flood.isOver, "\(flood.transcript)")
        try service.endService()
    }

    @Test("a client that sends thousands of oneway calls does not keep root from the service")
    func oneway() throws {
        let flood = try reader(
            """
            my $s = connected(); my $w = call("Metrics", "oneway") x 1000; print "begun\\n";
            while (1) { print $s $w or last }
            """)
        try eventually("it has begun", detail: flood.transcript) { flood.standardOutput.contains("begun") }
        try expectStatus()
        try expectToggle(by: service)
        try service.endService()
    }
}
