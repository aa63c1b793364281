import Foundation
import Glibc
import Testing

/// More announcements than fit into a socket, and thousands of interfaces that the program does not watch.
@Suite("Floods of netlink announcements", .needsRoot, .serialized)
struct FloodTests {
    /// What happens to the link while the service misses announcements.
    enum Change: String, CaseIterable, CustomTestStringConvertible {
        case gone, backUnderNewIndex, renamed, setDown

        var testDescription: String { rawValue }

        func happen(to link: VirtualLink) throws {
            switch self {
            case .gone: try link.removeCable()
            case .backUnderNewIndex:
                try link.removeCable()
                try link.makeCable()
            case .renamed: try link.nearIP("link set \(VirtualLink.near) name fresh0")
            case .setDown: try link.nearIP("link set \(VirtualLink.near) down")
            }
        }

        /// What the service logs when it has noticed the change.
        var words: [String] {
            switch self {
            case .gone: ["the interface is not there"]
            case .backUnderNewIndex: ["the interface is not there", "the interface is there (index"]
            case .renamed: ["near0: is called fresh0 now"]
            case .setDown: ["administratively down"]
            }
        }
    }

    @Test(
        "after lost announcements the service still notices the changes",
        arguments: Change.allCases)
    func overrun(_ change: Change) throws {
        let link = try VirtualLink()
        let program = try link.start("run", ["--verbose", "--interval", "1h", "--probe", "none"])
        try ProgramState.waiting.reach(program)
        #expect(try ForeignSockets.drops(of: program.processIdentifier) == 0)
        program.send(SIGSTOP)
        // A thousand links fill the buffer, so that the announcement of the change below is lost, too.
        let crowd = try Crowd(in: link, pairs: 500)
        try crowd.remove()
        #expect(try ForeignSockets.drops(of: program.processIdentifier) > 0, "nothing was lost")
        try change.happen(to: link)
        program.send(SIGCONT)
        for words in change.words {
            try eventually("it says '\(words)'", within: .seconds(60), detail: program.transcript) {
                program.standardError.contains(words)
            }
        }
        #expect(!program.isOver)
        program.send(SIGTERM)
        let outcome = try program.outcome()
        #expect(outcome.status == 0, "\(outcome)")
    }

    @Test("34,000 foreign interfaces that come and go neither raise memory use nor stop the service")
    func crowd() throws {
        let link = try VirtualLink()
        // The pattern matches these interfaces too: the program has to ask the kernel whether they are Wi-Fi.
        try link.configure("[\(VirtualLink.near)]\nany-interface = yes\n")
        let program = try link.startPlain(
            "run", ["--verbose", "--interval", "1h", "--probe", "none", VirtualLink.near, "wl*"])
        try ProgramState.waiting.reach(program)
        var resident: [Int] = []
        for _ in 1...17 {
            let crowd = try Crowd(in: link, pairs: 1000, prefix: "wl")
            try crowd.remove()
            try settle(program)
            resident.append(try program.residentKilobytes)
        }
        // The first rounds fill the buffers and the allocator's arena, on a busy machine, which delays the program,
        // more of them. In the last eight rounds 16,000 more interfaces appear. An index and a name kept for each
        // of them would take 440 KiB; the arena may grow once more, by 132 KiB.
        #expect(resident[16] - resident[8] < 256, "KiB resident after each round: \(resident)")
        try link.removeCable()
        try eventually("its own interface's end is noticed", detail: program.transcript) {
            program.standardError.contains("\(VirtualLink.near): the interface is not there")
        }
        #expect(!program.standardError.contains("wl0"), "\(program.transcript)")
        program.send(SIGTERM)
        let outcome = try program.outcome()
        #expect(outcome.status == 0, "\(outcome)")
    }

    /// Waits until the program has processed the announcements: its processor time has not grown for 0.3 s.
    private func settle(_ program: Child) throws {
        var last = -1
        try eventually("the program comes to rest", within: .seconds(30)) {
            usleep(300_000)
            let ticks = try Self.ticks(program)
            defer { last = ticks }
            return ticks == last
        }
    }

    /// User and system time so far (proc(5)), in clock ticks.
    private static func ticks(_ program: Child) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(program.processIdentifier)/stat", encoding: .utf8)
        let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
        return (Int(fields[12]) ?? 0) + (Int(fields[13]) ?? 0)
    }
}
