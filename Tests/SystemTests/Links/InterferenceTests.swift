import Glibc
import Testing

/// Another program sets the link up or down during a bounce. The program notices this, logs it once, and does
/// not revert it.
@Suite("Another program changes the link during a bounce", .needsRoot)
struct InterferenceTests {
    private static let raised = "another program raised the link"
    private static let lowered = "another program set the link down"

    @Test(
        "a link raised while it is kept down is reported once, stays up, and is not lowered again",
        arguments: ["toggle", "run"])
    func raisedDuringHold(_ command: String) throws {
        let link = try VirtualLink(gateway: .none)
        let trace = try LinkTrace(link)
        let program = try link.start(
            command, Self.options(command) + ["--delay", "60s", "--settle", "1s"])
        try ProgramState.keptDown.reach(program)
        try link.nearIP("link set \(VirtualLink.near) up")
        try end(program, command, after: Self.raised, status: 0)
        #expect(try trace.changes(atLeast: 2).map(\.isUp) == [false, true])
        #expect(try link.isUp)
    }

    @Test(
        "a link set down while settling is reported once and stays down; a one-shot ends with 69",
        arguments: ["toggle", "run"], [false, true])
    func loweredDuringSettling(_ command: String, isVerifying: Bool) throws {
        let link = try VirtualLink(gateway: .none)
        let trace = try LinkTrace(link)
        // The bounce does not end by itself: a target never answers, or the link has no carrier and does not
        // become operational.
        if isVerifying {
            let probe = ["--probe", "tcp:\(VirtualLink.absentAddress):9", "--timeout", "200ms"]
            let program = try link.start(
                command, Self.options(command) + ["--delay", "0", "--settle", "50s"] + probe)
            try waitFor(program, "→ pausing")
            try lower(link, program, command, trace)
        } else {
            try link.farIP("link set \(VirtualLink.far) down")
            let program = try link.start(
                command, Self.options(command) + ["--delay", "0", "--settle", "50s", "--probe", "none"])
            try waitFor(program, "→ awaiting link")
            try lower(link, program, command, trace)
        }
    }

    private func lower(
        _ link: VirtualLink, _ program: Child, _ command: String, _ trace: LinkTrace
    ) throws {
        try link.nearIP("link set \(VirtualLink.near) down")
        try end(program, command, after: Self.lowered, status: 69)
        #expect(try trace.changes(atLeast: 3).map(\.isUp) == [false, true, false])
        #expect(try !link.isUp)
    }

    @Test("an owner that raises every lowered link is reported once per bounce, and the link stays up")
    func fighting() throws {
        let link = try VirtualLink(gateway: .none)
        let trace = try LinkTrace(link)
        let manager = try Listener.hook(
            in: link.nearNamespace, on: VirtualLink.near,
            "*,UP,*|*,UP\\>*) ;; *) ip -n \(link.nearNamespace) link set \(VirtualLink.near) up ;;")
        let program = try link.start(
            "toggle", ["--verbose", "--delay", "60s", "--settle", "2s", "--probe", "none"])
        let outcome = try program.outcome()
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.words.count(of: Self.raised) == 1, "\(outcome)")
        #expect(try trace.changes(atLeast: 2).map(\.isUp) == [false, true])
        _ = manager
    }

    private static func options(_ command: String) -> [String] {
        command == "run" ? ["--verbose", "--force", "--interval", "1h"] : ["--verbose"]
    }

    private func waitFor(_ program: Child, _ words: String) throws {
        try eventually("'\(words)'", detail: program.transcript) { program.standardError.contains(words) }
    }

    private func end(_ program: Child, _ command: String, after words: String, status: Int32) throws {
        try waitFor(program, words)
        if command == "run" {
            try waitFor(program, "→ waiting")
            program.send(SIGTERM)
        }
        let outcome = try program.outcome()
        #expect(outcome.status == (command == "run" ? 0 : status), "\(outcome)")
        #expect(outcome.words.count(of: words) == 1, "\(outcome)")
    }
}
