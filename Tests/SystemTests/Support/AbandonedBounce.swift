import Foundation
import Glibc
import Testing

/// A bounce whose program and guard are both dead, so that only the record says what is to be done.
extension VirtualLink {
    /// The record of a bounce that keeps the link down.
    var record: URL { runDirectory.appendingPathComponent("\(Self.near).intent") }

    /// Kills the program and its guard while the link is kept down, and so leaves it down.
    func abandonBounce() throws {
        let program = try start("toggle", ["--delay", "60s", "--settle", "5s", "--probe", "none"])
        try eventually("the link is kept down", detail: program.transcript) {
            try !isUp && program.standardError.contains("link down")
        }
        try program.killWithGuard()
        #expect(try !isUp)
        #expect(records == [record.lastPathComponent])
    }

    /// Kills the program and its guard after the link was raised and before what was lost is restored. The
    /// link has no carrier.
    func abandonSettling() throws {
        // Without a carrier the link does not become operational, and the whole settle time passes.
        try farIP("link set \(Self.far) down")
        let program = try start("toggle", ["--delay", "0", "--settle", "60s", "--probe", "none"])
        try eventually("it settles", detail: program.transcript) { records == ["\(Self.near).settling"] }
        try program.killWithGuard()
    }
}

extension Child {
    /// Kills the program and its guard together.
    func killWithGuard() throws {
        let guards = GuardProcesses.children(of: processIdentifier)
        // Both are stopped first, so that neither notices the other's death.
        for process in guards + [processIdentifier] {
            kill(process, SIGSTOP)
            try eventually("it is stopped") { GuardProcesses.status(process, "State")?.first == "T" }
        }
        for process in guards + [processIdentifier] { kill(process, SIGKILL) }
        _ = try outcome()
    }
}
