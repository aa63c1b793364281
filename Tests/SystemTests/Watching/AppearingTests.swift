import Glibc
import Testing

/// Interfaces that appear at the wrong time.
@Suite("An interface that appears", .needsRoot)
struct AppearingTests {
    /// Starts a service before its interface is there.
    private func start(_ options: [String], _ link: VirtualLink) throws -> Child {
        let program = try link.start("run", options, interface: "fresh*")
        try eventually("nothing is there yet", detail: program.transcript) {
            program.standardError.contains("waiting for one to appear")
        }
        return program
    }

    @Test("an interface that the kernel cannot be queried about yet is watched as soon as it can")
    func unjudged() throws {
        let link = try VirtualLink()
        let program = try start(["--verbose", "--interval", "1h", "--probe", "none"], link)
        try ForeignSockets.misdirectGeneric(of: program.processIdentifier)
        try link.nearIP("link set \(VirtualLink.near) name fresh0")
        // The request fails at once. The pause is long enough for a second request, too.
        usleep(Self.inVain)
        #expect(!program.standardError.contains("fresh0"), "\(program.transcript)")
        try ForeignSockets.misdirectGeneric(of: program.processIdentifier, port: 0)
        try eventually("it is watched", detail: program.transcript) {
            program.standardError.contains("fresh0: checking → waiting")
        }
    }

    @Test("a sick interface that has just appeared is left to its owner during the grace")
    func grace() throws {
        let link = try VirtualLink()
        try link.muteFarEnd()
        let trace = try LinkTrace(link)
        let options = ["--json", "--interval", "300ms", "--fall", "1", "--timeout", "100ms"]
        let program = try start(options, link)
        try link.nearIP("link set \(VirtualLink.near) name fresh0")
        try eventually("it is held back", detail: program.transcript) {
            program.standardOutput.contains("\"why\":\"grace\"")
                || program.standardOutput.contains("too early")
        }
        #expect(!trace.changes.contains { !$0.isUp }, "\(program.transcript)")
        program.send(SIGTERM)
        #expect(try program.outcome().status == 0)
    }

    @Test("if another program has the lock, the service warns once, and watches the interface later")
    func locked() throws {
        let link = try VirtualLink()
        let program = try start(["--verbose", "--interval", "1h", "--probe", "none"], link)
        mkdir(link.runDirectory.path, 0o755)
        let path = link.runDirectory.appendingPathComponent("fresh0.lock").path
        let holder = try Child(["flock", "--no-fork", path, "sleep", "600"])
        try eventually("the lock is taken") { try link.isLocked("fresh0") }
        try link.nearIP("link set \(VirtualLink.near) name fresh0")
        try eventually("it is told", detail: program.transcript) {
            program.standardError.contains("fresh0: locked by")
        }
        for state in ["down", "up"] {
            try link.nearIP("link set fresh0 \(state)")
            usleep(Self.inVain)
        }
        #expect(program.standardError.count(of: "fresh0: locked by") == 1, "\(program.transcript)")
        holder.send(SIGKILL)
        _ = try holder.outcome()
        // The link may not change for hours.
        try eventually("it is watched", detail: program.transcript) {
            program.standardError.contains("fresh0: checking → waiting")
        }
        #expect(program.standardError.count(of: "fresh0: locked by") == 1, "\(program.transcript)")
    }

    /// A time in microseconds that is long enough for two requests of the program, both in vain.
    private static let inVain: UInt32 = 1_500_000
}
