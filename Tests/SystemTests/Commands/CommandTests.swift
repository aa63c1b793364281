import Foundation
import Glibc
import Testing

/// Runs the real program with `--probe command:PATH`; each test has its own link.
@Suite("Command probes", .needsRoot)
struct CommandTests {
    /// A directory with scripts that no other user can change, removed with the test.
    private final class Scripts {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "wifi-toggler-commands-\(UUID().uuidString)")

        init() throws {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
            chmod(directory.path, 0o755)
        }

        deinit { try? FileManager.default.removeItem(at: directory) }

        /// Another process copies the script into place: a program cannot be executed (ETXTBSY) while it is
        /// open for writing, even in a child that another test has just started.
        func write(_ text: String, to name: String = "check", mode: mode_t = 0o755) throws -> String {
            let path = directory.appendingPathComponent(name).path
            try Data("#!/bin/sh\n\(text)\n".utf8).write(to: URL(fileURLWithPath: path + ".new"))
            try shell("cp \(path).new \(path)")
            chmod(path, mode)
            return path
        }
    }

    private struct Answer {
        var status: Int32
        var verdict: String?
        var layer: String?
        var reason: String
        var detail: String
        var transcript: String
    }

    /// Runs `probe` with this command as the only requested probe.
    private func ask(
        _ path: String, _ options: [String] = [], link: VirtualLink? = nil, prefix: [String] = []
    ) throws -> Answer {
        let link = try link ?? VirtualLink()
        let outcome = try link.start(
            "probe", ["--json", "--timeout", "10s", "--probe", "command:\(path)"] + options, prefix: prefix
        ).outcome()
        let object = outcome.objects.first ?? [:]
        let rows = object["evidence"] as? [[String: Any]] ?? []
        let row = rows.first { $0["probe"] as? String == "command \(path)" }
        return Answer(
            status: outcome.status, verdict: object["verdict"] as? String,
            layer: object["layer"] as? String, reason: object["reason"] as? String ?? "",
            detail: row?["detail"] as? String ?? "", transcript: "\(outcome)")
    }

    @Test("a command's exit status 0 means healthy, 1 sick, any other unknown, and probe ends with 0, 1 or 2")
    func outcomes() throws {
        let scripts = try Scripts()
        let link = try VirtualLink()
        for (script, status, verdict, layer, detail) in [
            ("echo 'all is well'; exit 0", 0, "healthy", nil, "all is well"),
            ("echo 'no VPN'; exit 1", 1, "sick", "internet", "no VPN"),
            ("exit 3", 2, "unknown", "internet", "ended with status 3"),
            ("kill -KILL $$", 2, "unknown", "internet", "ended by signal 9"),
        ] as [(String, Int32, String, String?, String)] {
            let answer = try ask(scripts.write(script), link: link)
            #expect(answer.status == status, "\(answer.transcript)")
            #expect(answer.verdict == verdict)
            #expect(answer.layer == layer)
            #expect(answer.detail == detail)
            if verdict != "healthy" { #expect(answer.reason.hasSuffix(detail), "\(answer.reason)") }
        }
    }

    @Test("if a command reports sick and the gateway is silent, the fault is at layer gateway")
    func attributed() throws {
        let scripts = try Scripts()
        let link = try VirtualLink()
        try link.muteFarEnd()
        let answer = try ask(scripts.write("exit 1"), ["--timeout", "2s"], link: link)
        #expect(answer.status == 1)
        #expect(answer.layer == "gateway", "\(answer.transcript)")
    }

    /// A script that prints in one line how the program has started it. Of the ignored signals it allows 32
    /// and 33: they belong to the C library, and no program can reset them.
    private static let introspection = """
        echo $(cut -d ' ' -f 1,5,6 /proc/$$/stat) $$ : $(id -u):$(id -G) : $(pwd) : \
        $(ls /proc/self/fd) : $(readlink /proc/$$/fd/0 /proc/$$/fd/2) : \
        $(tr '\\0' ' ' </proc/$$/environ) : \
        $(grep -cE '^(Cap(Inh|Prm|Eff|Amb)|SigBlk):.0{16}$|^SigIgn:.0{7}[01][08]0{7}$' /proc/$$/status) \
        $(grep NoNewPrivs /proc/$$/status | cut -f 2)
        """
    /// Six empty sets (four of capabilities, two of signals), and NoNewPrivs, so that no privilege can be
    /// gained.
    private static let powerless = "6 1"
    private static let addressing =
        "/ : 0 1 2 3 : /dev/null /dev/null : "
        + "INTERFACE=near0 LANG=C PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

    /// Runs that script as a command probe.
    /// - Returns: the fields of its line; the first has the IDs of process, group and session.
    private func introspect(_ options: [String], prefix: [String] = []) throws -> [String] {
        let scripts = try Scripts()
        // The shell leaves a descriptor open, which the program's children would inherit by default.
        let answer = try ask(
            scripts.write(Self.introspection), options,
            prefix: prefix + [
                "/bin/sh", "-c", "exec 7</dev/null; exec \"$@\"", "sh",
            ])
        #expect(answer.status == 0, "\(answer.transcript)")
        return answer.detail.components(separatedBy: " : ")
    }

    @Test("a command runs as nobody in its own session, without descriptors and capabilities")
    func nobody() throws {
        let parts = try introspect([], prefix: ["setpriv", "--groups", "4,24"])
        try #require(parts.count == 7, "\(parts)")
        let numbers = parts[0].split(separator: " ")
        #expect(numbers.count == 4 && Set(numbers).count == 1, "it leads its group and session: \(parts[0])")
        let account = try shell("id -u nobody").trimmingCharacters(in: .whitespacesAndNewlines)
        let group = try shell("id -g nobody").trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(parts[1] == "\(account):\(group)")
        #expect(
            parts[2...5].joined(separator: " : ").trimmingCharacters(in: .whitespaces) == Self.addressing)
        #expect(parts[6] == Self.powerless)
    }

    @Test("a command with --command-user root runs as root without any capability")
    func root() throws {
        let parts = try introspect(["--command-user", "root"])
        try #require(parts.count == 7, "\(parts)")
        #expect(parts[1] == "0:0")
        #expect(parts[6] == Self.powerless)
    }

    @Test("without CAP_SETUID a command runs as the program's user, and another user is refused")
    func withoutCapability() throws {
        let prefix = ["setpriv", "--bounding-set", "-setuid"]
        let parts = try introspect([], prefix: prefix)
        try #require(parts.count == 7, "\(parts)")
        #expect(parts[1] == "0:0")
        #expect(parts[6] == Self.powerless)
        let answer = try ask(Scripts().write("exit 0"), ["--command-user", "daemon"], prefix: prefix)
        #expect(answer.status == 2)
        #expect(answer.detail == "not run: this process may not run a program as the user 'daemon'")
    }

    @Test("a command that others could have written or replaced is not run")
    func untrusted() throws {
        let scripts = try Scripts()
        let link = try VirtualLink()
        let good = try scripts.write("exit 0", to: "good")
        let writable = try scripts.write("exit 0", to: "writable", mode: 0o757)
        let foreign = try scripts.write("exit 0", to: "foreign")
        chown(foreign, 12345, 0)
        let symbolic = scripts.directory.appendingPathComponent("symbolic").path
        symlink(good, symbolic)
        #expect(try ask(good, link: link).status == 0)
        for (path, words) in [
            (writable, "is writable by its group or by others"), (foreign, "belongs to the user 12345"),
            (symbolic, "is a symbolic link"),
        ] {
            let answer = try ask(path, link: link)
            #expect(answer.status == 2, "\(answer.transcript)")
            #expect(answer.detail == "not run: \(path) \(words)")
        }
    }

    /// A script that ignores SIGTERM, as does its child. It writes both process IDs to a file beside it.
    private static let stubborn = """
        trap '' TERM
        (while :; do /bin/sleep 0.1; done) &
        echo $$ $! > ${0%/*}/numbers
        while :; do /bin/sleep 0.1; done
        """

    private func group(_ scripts: Scripts) throws -> [pid_t] {
        let file = scripts.directory.appendingPathComponent("numbers").path
        var numbers: [pid_t] = []
        try eventually("the command has begun") {
            let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
            numbers = text.split(whereSeparator: \.isWhitespace).compactMap { pid_t($0) }
            return numbers.count == 2
        }
        return numbers
    }

    private func writable(_ scripts: Scripts) {
        let file = scripts.directory.appendingPathComponent("numbers").path
        _ = FileManager.default.createFile(atPath: file, contents: nil)
        chmod(file, 0o666)
    }

    @Test("a command that does not end makes the verdict unknown, and does not outlive the program")
    func overdue() throws {
        let scripts = try Scripts()
        writable(scripts)
        let answer = try ask(scripts.write(Self.stubborn), ["--timeout", "8s"])
        #expect(answer.status == 2)
        #expect(answer.detail == "did not end in time", "\(answer.transcript)")
        let processes = try group(scripts)
        try eventually("\(processes) are gone") {
            processes.allSatisfy { kill($0, 0) == -1 && errno == ESRCH }
        }
    }

    @Test("a service that is told to end ends its commands too")
    func service() throws {
        let scripts = try Scripts()
        writable(scripts)
        let link = try VirtualLink()
        let path = try scripts.write(Self.stubborn)
        let service = try link.start("run", ["--probe", "command:\(path)", "--timeout", "60s"])
        let processes = try group(scripts)
        service.send(SIGTERM)
        #expect(try service.outcome().status == 0)
        try eventually("\(processes) are gone") {
            processes.allSatisfy { kill($0, 0) == -1 && errno == ESRCH }
        }
    }
}
