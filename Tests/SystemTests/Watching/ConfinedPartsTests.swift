import Foundation
import Glibc
import Testing

@testable import Platform

/// Hooks and commands of a service that is not root try to attack the service.
@Suite("A hook or command probe of the service's user", .needsRoot)
struct ConfinedPartsTests {
    private let link: VirtualLink
    private let user: ServiceUser
    /// A directory to which everybody may write.
    private let result: URL

    init() throws {
        link = try VirtualLink()
        user = try ServiceUser(link)
        result = link.directory.appendingPathComponent("result")
        mkdir(result.path, 0o777)
        chmod(result.path, 0o777)
    }

    private var hooks: String { link.directory.path + "/hooks.d" }

    /// A script that tries several attacks, and writes a line for each one that succeeds.
    private var script: String {
        let run = link.runDirectory.path
        let call = #"{"method":"wifitoggler.Control.Hold","parameters":{"seconds":100}}"#
        return """
            PATH=/usr/sbin:/usr/bin:/sbin:/bin
            out=\(result.path)/$$
            parent=$PPID
            {
            echo x >\(run)/hold && echo held
            rm -f \(run)/hold
            ln -s $out \(run)/hold && echo linked && rm \(run)/hold
            mkdir \(run)/hold && echo made
            ln \(run)/\(VirtualLink.near).lock \(result.path)/lock && echo 'linked the lock'
            (exec 9<>/proc/$parent/mem) && echo 'opened its memory'
            echo x >\(run)/\(VirtualLink.near).intent && echo forged
            rm -f \(run)/\(VirtualLink.near).lock && echo unlocked
            mv \(run) \(result.path)/moved && echo moved
            echo x >\(link.directory.path)/state/x && echo learned
            ip link set \(VirtualLink.near) down && echo lowered
            kill -CONT $parent && echo signalled
            grep -q '^CapPrm:.0000000000000000$' /proc/self/status || echo capable
            grep -q '^NoNewPrivs:.1$' /proc/self/status || echo gaining
            perl -MIO::Socket::UNIX -e '$s = IO::Socket::UNIX->new(Peer => "\(run)/control") or exit;
                print $s q(\(call)) . "\\0"; $s->flush; sysread($s, $b, 4096); print "answered: $b\\n"'
            read -r line && echo "read: $line"
            } >$out.part 2>$out.errors
            mv $out.part $out.done
            """
    }

    /// Starts a service that keeps the link down for a minute, and runs this script as its hook.
    private func bounce(with hook: String) throws -> Child {
        try link.install(hook, at: "hooks.d/attacker")
        return try link.start(
            "run",
            ["--interval", "1h", "--force", "--delay", "60s", "--probe", "none", "--hooks-dir", hooks],
            prefix: user.asService)
    }

    /// What the script (as a hook, a command, or in another user namespace) has managed to do.
    private func reports(_ service: Child) throws -> [String] {
        var text: String?
        try eventually("it has tried all", detail: service.transcript) {
            let name = try FileManager.default.contentsOfDirectory(atPath: result.path).first {
                $0.hasSuffix(".done")
            }
            text = try name.map {
                try String(contentsOf: result.appendingPathComponent($0), encoding: .utf8)
            }
            return text != nil
        }
        return text!.split(separator: "\n").map(String.init)
    }

    private static let refused = "\"error\":\"org.varlink.service.PermissionDenied\""

    private func check(_ reports: [String]) {
        #expect(reports.contains { $0.contains(Self.refused) }, "\(reports)")
        // Landlock can restrict signals since version 6 of its ABI (Linux 6.12).
        let isScoped = (Landlock.version ?? 0) >= 6
        let others = reports.filter {
            !$0.hasPrefix("answered: ") && !$0.hasPrefix("read: ") && (isScoped || $0 != "signalled")
        }
        #expect(others.isEmpty, "\(reports)")
    }

    private var options: [String] { ["--json", "--interval", "1h"] }

    @Test(
        "a hook cannot set a hold, forge a record, take a lock, lower the link or call the service",
        .needsLandlock)
    func hook() throws {
        try link.install(script, at: "hooks.d/attacker")
        let service = try link.start(
            "run", options + ["--probe", "none", "--hooks-dir", hooks], prefix: user.asService)
        let reports = try reports(service)
        check(reports)
        // The hook still receives the event, although it may not read the files.
        let event = reports.first { $0.hasPrefix("read: {") }
        #expect(event?.contains("\"event\":\"started\"") == true, "\(reports)")
        try service.endService()
    }

    @Test(
        "a command probe cannot set a hold, forge a record, take a lock, lower the link or call the service",
        .needsLandlock)
    func command() throws {
        let attacker = try link.install(script, at: "commands/attacker")
        let service = try link.start(
            "run", options + ["--timeout", "20s", "--probe", "command:\(attacker)"],
            prefix: user.asService)
        check(try reports(service))
        try service.endService()
    }

    @Test("a daemon that a hook leaves behind is ended with the hook, and the guard of a bounce is not")
    func daemon() throws {
        let script = """
            PATH=/usr/bin:/bin
            (setsid sh -c 'echo $$ >\(result.path)/daemon.$$; exec sleep 1000' </dev/null >/dev/null 2>&1 &)
            while ! ls \(result.path)/daemon.* >/dev/null 2>&1; do sleep 0.05; done
            touch \(result.path)/over
            """
        let service = try bounce(with: script)
        try eventually("the link is kept down", detail: service.transcript) { try !link.isUp }
        try eventually("the hook is over", detail: service.transcript) {
            FileManager.default.fileExists(atPath: result.path + "/over")
        }
        let daemons = try FileManager.default.contentsOfDirectory(atPath: result.path)
            .filter { $0.hasPrefix("daemon.") }.compactMap { pid_t($0.dropFirst("daemon.".count)) }
        #expect(!daemons.isEmpty)
        try eventually("the daemons are gone", detail: service.transcript) {
            daemons.allSatisfy { kill($0, 0) == -1 && errno == ESRCH }
        }
        #expect(try !link.isUp && !GuardProcesses.mentioning(link.runDirectory.path).isEmpty)
        service.send(SIGTERM)
        #expect(try service.outcome().status == 0)
        #expect(try link.isUp)
    }

    @Test("a hook's chain of processes, each of which starts the next one and ends, is stopped")
    func chain() throws {
        let script = """
            PATH=/usr/bin:/bin
            next() { echo x >>\(result.path)/chain; next & exit; }
            [ "$1" != daemon ] || next
            for chain in 1 2 3 4 5 6 7 8; do setsid sh "$0" daemon </dev/null >/dev/null 2>&1 & done
            until [ "$(wc -l <\(result.path)/chain)" -gt 100 ]; do :; done
            """
        let service = try bounce(with: script)
        let file = result.appendingPathComponent("chain")
        func length() -> Int { (try? Data(contentsOf: file).count) ?? 0 }
        try eventually("the chain runs", detail: service.transcript) { length() > 200 }
        try eventually("the chain has ended", within: .seconds(60), detail: service.transcript) {
            let before = length()
            usleep(1_000_000)
            return length() == before
        }
        #expect(try !link.isUp, "the bounce goes on")
        try service.endService()
        #expect(try link.isUp)
    }

    @Test("a one-shot of the service's user with the service's capability may call Toggle")
    func oneShot() throws {
        let service = try link.start("run", options + ["--probe", "none"], prefix: user.asService)
        try eventually("the first cycle", detail: service.transcript) { service.cycles == 1 }
        let outcome = try link.start(
            "toggle", ["--delay", "0", "--json"], prefix: user.asService
        ).outcome()
        #expect(outcome.status == 0 && outcome.objects.last?["action"] as? String == "bounced", "\(outcome)")
        try eventually("the service did it", detail: service.transcript) {
            service.standardError.contains("toggle requested")
        }
        try service.endService()
    }

    @Test("capabilities in another user namespace give no rights")
    func userNamespace() throws {
        let service = try link.start("run", options + ["--probe", "none"], prefix: user.asService)
        try eventually("the first cycle", detail: service.transcript) { service.cycles == 1 }
        let source = link.directory.appendingPathComponent("attempt")
        try Data(script.utf8).write(to: source)
        let attempt = try link.startShell(
            "unshare --user --map-root-user sh \(source.path)", prefix: user.asAnybody
        ).outcome()
        let reports = try reports(service)
        #expect(reports.contains { $0.contains(Self.refused) }, "\(attempt) \(reports)")
        service.send(SIGTERM)
        _ = try service.outcome()
    }

    /// Landlock cannot forbid a hook to change the modes of files.
    @Test(
        "if a hook changes the modes of the service's directories, root's commands refuse these directories",
        arguments: [
            ("777", " belongs to another user, or others can write to it"),
            ("0", ": its mode does not let its owner use it"),
        ])
    func changedModes(_ mode: String, _ words: String) throws {
        let run = link.runDirectory.path
        try link.install(
            "PATH=/usr/bin:/bin\nchmod \(mode) \(run) \(link.directory.path)/state",
            at: "hooks.d/attacker")
        let service = try link.start(
            "run", options + ["--probe", "none", "--hooks-dir", hooks], prefix: user.asService)
        try eventually("the modes are changed", detail: service.transcript) {
            var status = stat()
            return stat(run, &status) == 0 && String(status.st_mode & 0o777, radix: 8) == mode
        }
        service.send(SIGTERM)
        _ = try service.outcome()
        let trace = try LinkTrace(link)
        for command in ["toggle", "reconnect", "run", "repair"] where command != "repair" || mode != "0" {
            let options = command == "repair" ? [] : ["--probe", "none"]
            let outcome = try link.start(command, options, prefix: user.asRoot).outcome()
            #expect(outcome.status == 73 && outcome.standardOutput.isEmpty, "\(command): \(outcome)")
            let lines = outcome.standardError.split(separator: "\n")
            #expect(lines.count == 1 && lines[0].contains(run + words), "\(command): \(outcome)")
        }
        let hold = try Child(user.asRoot + link.holdCommand(["1h", VirtualLink.near])).outcome()
        #expect(hold.status == 73 && hold.standardError.contains(run + words), "\(hold)")
        #expect(try trace.isUntouched())
        let doctor = try link.start("doctor", prefix: user.asRoot).outcome()
        for directory in [run, "\(link.directory.path)/state"] {
            #expect(doctor.standardOutput.contains("cannot be written: \(directory)"), "\(doctor)")
        }
    }
}

extension Trait where Self == ConditionTrait {
    static var needsLandlock: Self { .enabled(if: Landlock.isThere, "the kernel has no Landlock") }
}

extension VirtualLink {
    /// Starts a shell command of the test in the near namespace.
    fileprivate func startShell(_ command: String, prefix: [String]) throws -> Child {
        try Child(["ip", "netns", "exec", nearNamespace] + prefix + ["sh", "-c", command])
    }
}
