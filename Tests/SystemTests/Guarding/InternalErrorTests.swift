import Glibc
import Testing

/// If a check of the program itself fails, such as a precondition, Swift raises SIGILL or SIGTRAP.
@Suite("An internal error", .needsRoot)
struct InternalErrorTests {
    @Test(
        "ends the program with status 70 and a line, and the guard raises the link",
        arguments: [SIGILL, SIGTRAP])
    func ofToggle(_ signal: Int32) throws {
        let link = try VirtualLink()
        try link.makeThingsToLose()
        let before = try link.state()
        // Otherwise the handler of Swift's backtraces would catch the signal first.
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
        try link.awaitRestored(before, program)
    }
}
