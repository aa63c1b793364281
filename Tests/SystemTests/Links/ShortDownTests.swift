import Foundation
import Testing

/// NetworkManager sets a station down for a moment to give it another hardware address.
@Suite("A link that another program sets down", .needsRoot)
struct ShortDownTests {
    private func watched() throws -> (link: VirtualLink, program: Child) {
        let link = try VirtualLink(gateway: .none)
        let program = try link.start(
            "run", ["--json", "--interval", "1h", "--recheck", "1h", "--probe", "none"])
        try eventually("the first cycle", detail: program.transcript) {
            Self.verdicts(program) == ["healthy"]
        }
        return (link, program)
    }

    private static func verdicts(_ program: Child) -> [String] {
        RunOutcome.objects(in: program.standardOutput).compactMap { $0["verdict"] as? String }
    }

    @Test("if the link is up again within seconds, the service reports nothing")
    func lifted() throws {
        // A busy machine may keep the link down for longer than the test wants, so there are several attempts.
        for _ in 1...5 {
            if try isUnreported() { return }
        }
        Issue.record("each time, the link was down for more than \(Self.limit) s")
    }

    /// Somewhat less than the five seconds after which the service reports a down link.
    private static let limit = 4.0

    /// Sets the link down and up, and expects that the service reports nothing.
    ///
    /// - Returns: Whether the link was down only for a short time. If it was not, nothing is expected.
    private func isUnreported() throws -> Bool {
        let (link, program) = try watched()
        let trace = try LinkTrace(link)
        let said = program.standardError
        try link.nearIP("link set \(VirtualLink.near) down")
        usleep(2_000_000)
        try link.nearIP("link set \(VirtualLink.near) up")
        let changes = try trace.changes(atLeast: 2)
        guard changes[1].time - changes[0].time < Self.limit else { return false }
        // With the pause above, this is longer than the five seconds after which a down link is reported.
        usleep(5_000_000)
        program.send(SIGUSR1)
        try eventually("another cycle", detail: program.transcript) { Self.verdicts(program).count >= 2 }
        #expect(Set(Self.verdicts(program)) == ["healthy"], "\(program.transcript)")
        #expect(!program.standardError.dropFirst(said.count).contains("down"), "\(program.transcript)")
        try program.endService()
        return true
    }

    @Test("if the link stays down, the service says so, and leaves it down")
    func stays() throws {
        let (link, program) = try watched()
        try link.nearIP("link set \(VirtualLink.near) down")
        try eventually("it is reported", detail: program.transcript) {
            program.standardError.contains("administratively down")
        }
        #expect(try !link.isUp)
        try program.endService()
    }
}
