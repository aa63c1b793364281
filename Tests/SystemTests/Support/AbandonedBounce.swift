import Foundation
import Glibc
import Testing

/// A bounce whose program and guard are both dead, so that only the record says what is to be done.
extension VirtualLink {
    /// The record of a bounce that keeps the link down.
    var record: URL { runDirectory.appendingPathComponent("\(Self.near).intent") }

    /// Leaves the link down by killing both while it is kept down.
    func abandonBounce() throws {
        let program = try start("toggle", ["--delay", "60s", "--settle", "5s", "--probe", "none"])
        try eventually("the link is kept down", detail: program.transcript) {
            try !isUp && program.standardError.contains("link down")
        }
        try program.killWithGuard()
        #expect(try !isUp)
        #expect(records == [record.lastPathComponent])
    }

    /// Kills both after the link was raised, while what was lost is not back yet. The link has no carrier.
    func abandonSettling() throws {
        // Without a carrier it does not become operational, and the whole settle time passes.
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
        // Stopped first: neither must notice the other's death.
        for process in guards + [processIdentifier] {
            kill(process, SIGSTOP)
            try eventually("it is stopped") { GuardProcesses.status(process, "State")?.first == "T" }
        }
        for process in guards + [processIdentifier] { kill(process, SIGKILL) }
        _ = try outcome()
    }
}
