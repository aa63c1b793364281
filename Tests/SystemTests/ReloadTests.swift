import Foundation
import Glibc
import Testing

/// What a running service takes over when it reads its configuration again, and what it keeps.
@Suite("A reload", .needsRoot)
struct ReloadTests {
    private static let again = "configuration read again"

    /// Has the service read this file, and waits for its word on it.
    private func reload(_ service: Child, _ link: VirtualLink, _ text: String, until words: String = again)
        throws
    {
        let before = service.standardError.ranges(of: words).count
        try link.configure(text)
        service.send(SIGHUP)
        try eventually("it says '\(words)'", detail: service.transcript) {
            service.standardError.ranges(of: words).count > before
        }
    }

    private func end(_ service: Child) throws {
        service.send(SIGTERM)
        let outcome = try service.outcome(within: .seconds(5))
        #expect(outcome.status == 0, "\(outcome)")
    }

    /// The next look that is told after this moment.
    private func nextLook(_ service: Child) throws -> [String: Any] {
        let before = Outcome.objects(in: service.standardOutput).count
        try eventually("another look", detail: service.transcript) {
            Outcome.objects(in: service.standardOutput).count > before
        }
        return try #require(Outcome.objects(in: service.standardOutput).last)
    }

    // MARK: Rehearsals

    /// The plain timer, as quick as it goes.
    private static let timer = ["--json", "--force", "--delay", "0", "--settle", "0", "--probe", "none"]

    @Test("a rehearsal has no lock: it cannot become a service, not even for one interface")
    func rehearsal() throws {
        let link = try VirtualLink(gateway: .none)
        let trace = try LinkTrace(link)
        // As another run has left it: a guard needs no more.
        try FileManager.default.createDirectory(at: link.runDirectory, withIntermediateDirectories: false)
        let only = "\n[\(VirtualLink.near)]\ndry-run = no\n"
        try link.configure("[default]\ndry-run = yes\n" + only)
        let service = try link.start("run", Self.timer + ["--interval", "100ms"])
        #expect(try nextLook(service)["action"] as? String == "skipped", "\(service.transcript)")
        try reload(
            service, link, "[default]\ndry-run = no\n",
            until: "\(link.configuration.path): dry-run: 'no' in [default] is taken over only at the start"
                + " (restart the service); the old configuration stays")
        for _ in 1...3 {
            #expect(try nextLook(service)["action"] as? String == "skipped", "\(service.transcript)")
        }
        try trace.catchUp()
        #expect(trace.changes.isEmpty, "\(service.transcript)")
        #expect(try !link.isLocked(VirtualLink.near))
        try end(service)
    }

    @Test("a service cannot become a rehearsal, one of its interfaces can")
    func service() throws {
        let link = try VirtualLink(gateway: .none)
        let service = try link.start("run", Self.timer + ["--interval", "100ms"])
        #expect(try nextLook(service)["action"] as? String == "bounced", "\(service.transcript)")
        try reload(
            service, link, "[default]\ndry-run = yes\n",
            until: "dry-run: 'yes' in [default] is taken over only at the start")
        try reload(service, link, "[\(VirtualLink.near)]\ndry-run = yes\n")
        try eventually("nothing is bounced any more", detail: service.transcript) {
            Outcome.objects(in: service.standardOutput).last?["action"] as? String == "skipped"
        }
        #expect(try link.isLocked(VirtualLink.near))
        try end(service)
    }
}
