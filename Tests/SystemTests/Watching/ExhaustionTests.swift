import Foundation
import Glibc
import Platform
import Testing

/// What the service does without free descriptors or processes.
@Suite("A service without free descriptors or processes", .needsRoot)
struct ExhaustionTests {
    private static let call = Array(#"{"method":"wifitoggler.Control.Status"}"#.utf8) + [0]

    private var soon: Int64 { BootClock.now() + 60_000_000_000 }

    private func limitDescriptors(_ service: Child, to count: Int) throws {
        try shell("prlimit --pid \(service.processIdentifier) --nofile=\(count):")
    }

    /// The processor time that the service has used (proc_pid_stat(5)), in clock ticks of 10 ms.
    private func ticks(_ service: Child) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(service.processIdentifier)/stat", encoding: .utf8)
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        return try fields[11...12].reduce(0) { try $0 + #require(Int($1)) }
    }

    /// Expects that the service uses less than a fifth of a processor for three seconds.
    private func expectRest(_ service: Child) throws {
        let (before, begin) = (try ticks(service), ContinuousClock.now)
        while ContinuousClock.now - begin < .seconds(3) { usleep(100_000) }
        #expect(try ticks(service) - before < 60, "\(service.transcript)")
    }

    @Test("without descriptors the service says so once, goes on checking, and accepts clients later")
    func descriptors() throws {
        let link = try VirtualLink(gateway: .none)
        let service = try link.startQuietService()
        try limitDescriptors(service, to: 3)
        let clients = try (0..<3).map { _ in
            let stream = try BlockingStream.connect(to: "control", in: link.runDirectory.path, before: soon)
            try stream.send(Self.call, before: soon)
            return stream
        }
        let words = "no file descriptor is left, so new clients must wait"
        try eventually("it says so", detail: service.transcript) { service.standardError.contains(words) }
        try expectRest(service)
        service.send(SIGUSR1)
        try eventually("a cycle", detail: service.transcript) { service.cycles == 2 }
        let outcome = try link.run("toggle", ["--delay", "100ms", "--wait", "0"])
        #expect(outcome.status == 75, "\(outcome)")
        #expect(try link.isUp)
        try limitDescriptors(service, to: 1024)
        for client in clients { #expect(try !client.receive(before: soon).isEmpty) }
        let again = try link.run("toggle", ["--delay", "100ms", "--wait", "30s"])
        #expect(again.status == 0, "\(again)")
        #expect(service.standardError.count(of: words) == 1, "\(service.transcript)")
        try service.endService()
    }

    /// Limits the service's processes. The service must not run as root, whom the kernel lets exceed this
    /// limit (RLIMIT_NPROC, getrlimit(2)). The limit of a cgroup (TasksMax=) makes fork(2) fail in the same
    /// way.
    private func limitProcesses(_ service: Child, of user: ServiceUser, to count: Int) throws {
        let words = ["prlimit", "--pid", "\(service.processIdentifier)", "--nproc=\(count):"]
        let outcome = try Child(user.asAnybody + words).outcome()
        try #require(outcome.status == 0, "\(outcome)")
    }

    @Test(
        "without processes a bounce is refused, checks are unknown, and a hook that cannot run is reported"
    )
    func processes() throws {
        let link = try VirtualLink(gateway: .none)
        let (user, trace) = (try ServiceUser(link), try LinkTrace(link))
        try link.install("cat >/dev/null", at: "hooks.d/told")
        let service = try link.start(
            "run",
            [
                "--json", "--interval", "1h", "--probe", "command:/usr/bin/true", "--hooks-dir",
                link.directory.path + "/hooks.d",
            ], prefix: user.asService)
        func toggle() throws -> RunOutcome {
            try link.start("toggle", ["--delay", "100ms", "--wait", "30s"], prefix: user.asRoot).outcome()
        }
        func verdicts() -> [String?] {
            RunOutcome.objects(in: service.standardOutput).map { $0["verdict"] as? String }
        }
        try eventually("the first cycle", detail: service.transcript) { service.cycles == 1 }
        // A hook that ends well makes the service tell the next failure.
        try eventually("the first hook has ended") {
            GuardProcesses.allChildren(of: service.processIdentifier).isEmpty
        }
        try limitProcesses(service, of: user, to: 0)
        for cycles in 2...3 {
            service.send(SIGUSR1)
            try eventually("a cycle", detail: service.transcript) { service.cycles == cycles }
        }
        for _ in 1...2 {
            let refused = try toggle()
            let words = "Resource temporarily unavailable"
            #expect(refused.status != 0 && refused.standardError.count(of: words) == 1, "\(refused)")
        }
        let told = "the hook \(link.directory.path)/hooks.d/told: could not be run"
        #expect(service.standardError.count(of: told) == 1, "\(service.transcript)")
        #expect(verdicts().prefix(3) == ["healthy", "unknown", "unknown"], "\(service.transcript)")
        try trace.catchUp()
        #expect(try link.isUp && trace.isUntouched())
        try limitProcesses(service, of: user, to: 1000)
        let done = try toggle()
        #expect(done.status == 0, "\(done)")
        try service.endService()
    }
}
