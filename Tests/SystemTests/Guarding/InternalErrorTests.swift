import Glibc
import Testing

/// A failed check of the program itself raises one of these signals.
@Suite("An internal error", .needsRoot)
struct InternalErrorTests {
    @Test(
        "ends the program with status 70 and a line, and the guard raises the link",
        arguments: [SIGILL, SIGTRAP])
    func ofToggle(_ signal: Int32) throws {
        let link = try VirtualLink()
        try link.makeThingsToLose()
        let before = try link.state()
        // The handler of Swift's backtraces would come first.
        let program = try link.start(
            "toggle", ["--delay", "60s", "--settle", "5s", "--probe", "none"],
            environment: ["SWIFT_BACKTRACE": "enable=no"])
        try eventually("the link is kept down", detail: program.transcript) {
            try !link.isUp && program.standardError.contains("link down")
        }
        program.send(signal)
        let outcome = try program.outcome()
        #expect(outcome.status == 70, "\(outcome)")
        #expect(outcome.standardError.contains("wifi-toggler: internal error: "), "\(outcome)")
        try link.awaitRescue(before, program)
    }
}
