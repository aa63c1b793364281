import Foundation
import Glibc
import Testing

/// The helper as a process: what it inherits, and how it ends.
@Suite("The helper process", .needsRoot)
struct HelperProcessTests {
    let link: VirtualLink
    let far: FarServers

    init() throws {
        link = try VirtualLink()
        far = try FarServers(link)
        try far.servePages()
    }

    private static func page(_ path: String) -> String { "http:http://\(VirtualLink.farAddress)\(path)" }

    private func read(_ path: String) -> String {
        (try? String(decoding: Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)) ?? ""
    }

    /// The helper of a program, nil if it has none (proc(5), children).
    private func helper(of program: Child) -> pid_t? {
        let threads =
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(program.processIdentifier)/task"))
        for thread in threads ?? [] {
            let children = read("/proc/\(program.processIdentifier)/task/\(thread)/children")
            for child in children.split(separator: " ").compactMap({ pid_t($0) }) {
                if read("/proc/\(child)/comm") == "wifi-toggler-pr\n" { return child }
            }
        }
        return nil
    }

    /// Waits until there is a helper that has given up its privileges.
    private func awaitHelper(of program: Child) throws -> pid_t {
        var found: pid_t?
        try eventually("the helper is there", detail: program.transcript) {
            found = helper(of: program)
            // The filter of system calls is the last restriction that the helper applies to itself.
            return found.map { read("/proc/\($0)/status").contains("Seccomp:\t2") } ?? false
        }
        return found!
    }

    /// Starts a `probe` that waits for a page that does not come.
    private func waiting() throws -> Child {
        try link.start("probe", ["--json", "--timeout", "20s", "--probe", Self.page("/silent")])
    }

    private func isGone(_ process: pid_t) -> Bool {
        let status = read("/proc/\(process)/status")
        return status.isEmpty || status.contains("State:\tZ")
    }

    @Test("the helper runs as nobody without capabilities, and has only the descriptors that it needs")
    func confined() throws {
        let program = try waiting()
        let process = try awaitHelper(of: program)
        // Wait until the helper is connected to the web server.
        try eventually("it asks", detail: program.transcript) {
            try shell("ip netns exec \(link.farNamespace) ss -Htn state established sport = :80").contains(
                ":80")
        }
        let status = read("/proc/\(process)/status")
        for line in [
            "Uid:\t65534\t65534\t65534\t65534", "Gid:\t65534\t65534\t65534\t65534", "Groups:\t \n",
            "CapInh:\t0000000000000000", "CapPrm:\t0000000000000000", "CapEff:\t0000000000000000",
            "CapBnd:\t0000000000000000", "CapAmb:\t0000000000000000", "NoNewPrivs:\t1", "Threads:\t1",
            "Seccomp:\t2",
        ] {
            #expect(status.contains(line), "\(line)\n\(status)")
        }
        let limits = read("/proc/\(process)/limits")
        for name in ["Max file size", "Max core file size", "Max processes"] {
            let words = limits.split(separator: "\n").first { $0.hasPrefix(name) }?.dropFirst(name.count)
            #expect(words?.split(separator: " ").prefix(2) == ["0", "0"], "\(limits)")
        }
        let memory = limits.split(separator: "\n").first { $0.hasPrefix("Max address space") }
        #expect(memory?.contains("unlimited") == false, "\(limits)")
        // Its memory belongs to root: no other user can read it (PR_SET_DUMPABLE).
        var file = stat()
        #expect(stat("/proc/\(process)/mem", &file) == 0 && file.st_uid == 0)
        #expect(read("/proc/\(process)/environ") == "")

        // The channel, /dev/null twice, the socket pair that wakes libcurl (an eventfd in newer versions),
        // and the connection to the web server.
        let directory = "/proc/\(process)/fd"
        let links = try FileManager.default.contentsOfDirectory(atPath: directory).map {
            try FileManager.default.destinationOfSymbolicLink(atPath: "\(directory)/\($0)")
        }
        #expect(links.filter { $0 == "/dev/null" }.count == 2, "\(links)")
        let wakers = links.filter { $0 == "anon_inode:[eventfd]" }.count
        let sockets = links.filter { $0.hasPrefix("socket:") }.count
        #expect(wakers == 0 && sockets == 4 || wakers == 1 && sockets == 2, "\(links)")
        #expect(links.count == 2 + wakers + sockets, "\(links)")
    }

    @Test("if the helper is killed during a probe, the verdict is unknown with the cause")
    func killed() throws {
        let program = try waiting()
        kill(try awaitHelper(of: program), SIGKILL)
        let outcome = try program.outcome()
        #expect(outcome.status == 2, "\(outcome)")
        #expect(outcome.words.contains("wifi-toggler-prober was ended by signal 9"), "\(outcome)")
    }

    @Test("if a service's helper is killed, nothing is bounced, and a new helper answers later")
    func restarted() throws {
        let trace = try LinkTrace(link)
        let program = try link.start("run", ["--json", "--interval", "300ms", "--probe", Self.page("/204")])
        let answered = {
            RunOutcome.objects(in: program.standardOutput).filter { $0["verdict"] as? String == "healthy" }
                .count
        }
        try eventually("it is healthy", detail: program.transcript) { answered() >= 2 }
        let first = try awaitHelper(of: program)
        kill(first, SIGKILL)
        try eventually("it could not ask", detail: program.transcript) {
            program.standardOutput.contains("wifi-toggler-prober was ended by signal 9")
        }
        let before = answered()
        try eventually("it is healthy again", detail: program.transcript) { answered() >= before + 2 }
        let second = try awaitHelper(of: program)
        #expect(first != second)
        #expect(!program.standardOutput.contains("\"sick\""), "\(program.transcript)")
        #expect(try trace.isUntouched())
        program.send(SIGTERM)
        #expect(try program.outcome().status == 0)
        try eventually("the helper is gone") { isGone(second) }
    }

    @Test("if a service's helper is stopped, it is killed, and a new helper answers later")
    func stopped() throws {
        let program = try link.start(
            "run", ["--json", "--interval", "300ms", "--timeout", "300ms", "--probe", Self.page("/204")])
        let answered = {
            RunOutcome.objects(in: program.standardOutput).filter { $0["verdict"] as? String == "healthy" }
                .count
        }
        try eventually("it is healthy", detail: program.transcript) { answered() >= 2 }
        let first = try awaitHelper(of: program)
        kill(first, SIGSTOP)
        try eventually("it is killed", detail: program.transcript) { isGone(first) }
        let before = answered()
        try eventually("it is healthy again", detail: program.transcript) { answered() >= before + 2 }
        let second = try awaitHelper(of: program)
        // A stopped helper does not outlive the service either.
        kill(second, SIGSTOP)
        program.send(SIGTERM)
        #expect(try program.outcome().status == 0)
        try eventually("the helper is gone") { isGone(second) }
    }

    /// Starts a copy of the program as a service. Beside the copy lies a script with the helper's name.
    private func serviceWithHelper(_ script: String, timeout: String) throws -> Child {
        let copy = link.directory.appendingPathComponent("wifi-toggler").path
        try shell("cp \(Program.path) \(copy)")
        try link.install("echo $$ >>\(starts)\n\(script)", at: "wifi-toggler-prober")
        chmod(link.directory.path, 0o755)
        return try Child(
            ["ip", "netns", "exec", link.nearNamespace, copy, "run", "--any-interface"] + link.files
                + [
                    "--json", "--interval", "300ms", "--timeout", timeout, "--probe", Self.page("/204"),
                    VirtualLink.near,
                ])
    }

    private var starts: String { link.directory.path + "/starts" }

    /// The process IDs of all helpers that such a service has started.
    private func started() -> [pid_t] { read(starts).split(separator: "\n").compactMap { pid_t($0) } }

    @Test(
        "a helper in an endless loop is killed each time, and does not outlive a service that is told to end",
        arguments: [SIGKILL, SIGTERM])
    func endlessLoop(signal: Int32) throws {
        // A parser that does not return.
        let service = try serviceWithHelper("while :; do :; done", timeout: "300ms")
        // The real helper asks the kernel to kill it when the service dies; the script would run for ever.
        defer { for process in started() where !isGone(process) { kill(process, SIGKILL) } }
        try eventually("a second one was started", within: .seconds(60), detail: service.transcript) {
            started().count >= 2
        }
        #expect(isGone(started()[0]))
        #expect(!service.standardOutput.contains("\"sick\""), "\(service.transcript)")
        service.send(signal)
        _ = try service.outcome()
        if signal == SIGKILL { return }
        try eventually("none is left") { started().allSatisfy(isGone) }
    }

    @Test("a helper that floods the service with answers that nobody asked for is killed each time, at once")
    func flood() throws {
        // The probe's time-out is longer than this test, so it is not the reason why a helper is killed.
        let service = try serviceWithHelper(
            """
            exec perl -e 'open my $channel, "+<&=", 0; my $n = 1 << 31; while (1) {
                syswrite($channel, pack("aNCn/a", "A", $n++, 2, "x" x 240)) or exit 1 }'
            """, timeout: "60s")
        defer { for process in started() where !isGone(process) { kill(process, SIGKILL) } }
        try eventually("a second one was started", within: .seconds(50), detail: service.transcript) {
            started().count >= 2
        }
        #expect(isGone(started()[0]))
        let before = try service.residentKilobytes
        try eventually("a fourth one was started", within: .seconds(50), detail: service.transcript) {
            let began = ContinuousClock.now
            let words = ["--config", link.configuration.path, "--run-dir", link.runDirectory.path]
            let status = try Program.run(["status"] + words).status
            #expect((0...2).contains(status))
            #expect(ContinuousClock.now - began < .seconds(50))
            return started().count >= 4
        }
        #expect(started().dropLast().allSatisfy(isGone))
        // The service has killed all of them; none has ended by itself.
        #expect(service.standardOutput.contains("ended by signal 9"), "\(service.transcript)")
        #expect(!service.standardOutput.contains("ended with status"), "\(service.transcript)")
        let after = try service.residentKilobytes
        #expect(after < before + 8192, "from \(before) to \(after) KiB")
        #expect(!service.standardOutput.contains("\"sick\""), "\(service.transcript)")
        let cycles = RunOutcome.objects(in: service.standardOutput).count
        #expect(cycles > started().count, "no check waits for the back-off: \(service.transcript)")
        service.send(SIGTERM)
        #expect(try service.outcome().status == 0)
        try eventually("none is left") { started().allSatisfy(isGone) }
    }

    @Test("a stopped helper does not outlive a program that is killed")
    func stoppedOrphan() throws {
        let program = try waiting()
        let process = try awaitHelper(of: program)
        kill(process, SIGSTOP)
        defer { if !isGone(process) { kill(process, SIGKILL) } }
        program.send(SIGKILL)
        _ = try program.outcome()
        try eventually("the helper is gone") { isGone(process) }
    }

    @Test("the helper of an unprivileged service answers, and is confined as root's helper is")
    func ofTheServicesUser() throws {
        let user = try ServiceUser(link)
        let program = try link.start(
            "run", ["--json", "--interval", "300ms", "--probe", Self.page("/204")], prefix: user.asService)
        try eventually("it is healthy", detail: program.transcript) {
            program.standardOutput.contains("\"healthy\"")
        }
        let status = read("/proc/\(try awaitHelper(of: program))/status")
        for line in [
            "CapPrm:\t0000000000000000", "CapEff:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2",
        ] {
            #expect(status.contains(line), "\(line)\n\(status)")
        }
        program.send(SIGTERM)
        #expect(try program.outcome().status == 0)
    }

    @Test("the helper does not outlive the program, however that ends", arguments: [SIGKILL, SIGTERM])
    func orphaned(signal: Int32) throws {
        let program = try waiting()
        let process = try awaitHelper(of: program)
        program.send(signal)
        _ = try program.outcome()
        try eventually("the helper is gone") { isGone(process) }
    }

    @Test("the helper is not started without a probe that needs it")
    func unwanted() throws {
        let program = try link.start("run", ["--json", "--interval", "200ms"])
        try eventually("three cycles", detail: program.transcript) {
            RunOutcome.objects(in: program.standardOutput).count >= 3
        }
        #expect(helper(of: program) == nil)
        program.send(SIGTERM)
        _ = try program.outcome()
    }

    @Test("the helper started by a user ends with status 64")
    func alone() throws {
        let path = URL(fileURLWithPath: Program.path).deletingLastPathComponent()
            .appendingPathComponent("wifi-toggler-prober").path
        #expect(try Child([path]).outcome().status == 64)
    }

    @Test("a missing helper is reported as such")
    func absent() throws {
        let copy = link.directory.appendingPathComponent("wifi-toggler").path
        // cp copies, not this process: a child of another test could inherit the file open for writing, and
        // then the file could not be executed (ETXTBSY).
        try shell("cp \(Program.path) \(copy)")
        let outcome = try Child(
            ["ip", "netns", "exec", link.nearNamespace, copy, "probe", "--any-interface"] + link.files
                + ["--probe", Self.page("/204"), VirtualLink.near]
        ).outcome()
        #expect(outcome.status == 2, "\(outcome)")
        #expect(outcome.words.contains("the helper wifi-toggler-prober is not installed"), "\(outcome)")
    }
}
