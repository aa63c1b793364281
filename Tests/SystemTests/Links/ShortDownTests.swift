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
        let (link, program) = try watched()
        let said = program.standardError
        try link.nearIP("link set \(VirtualLink.near) down")
        usleep(2_000_000)
        try link.nearIP("link set \(VirtualLink.near) up")
        // With the pause above, this is longer than the five seconds after which a down link is reported.
        usleep(5_000_000)
        program.send(SIGUSR1)
        try eventually("another cycle", detail: program.transcript) { Self.verdicts(program).count >= 2 }
        #expect(Set(Self.verdicts(program)) == ["healthy"], "\(program.transcript)")
        #expect(!program.standardError.dropFirst(said.count).contains("down"), "\(program.transcript)")
        try program.endService()
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
