import Glibc
import Testing

/// The interface is renamed while the program runs. The kernel allows this even while the interface is up.
@Suite("An interface that is renamed", .needsRoot)
struct RenamingTests {
    private static let name = "fresh0"

    @Test(
        "the service reports the interface under its new name, and takes the lock of that name",
        arguments: ProgramState.allCases)
    func service(_ state: ProgramState) throws {
        let link = try VirtualLink()
        try state.prepare(link)
        let program = try link.start("run", ["--verbose"] + state.serviceOptions)
        try state.reach(program)
        try rename(link)
        try eventually("it is told", detail: program.transcript) {
            program.standardError.contains("\(VirtualLink.near): is called \(Self.name) now")
        }
        if state == .keptDown {
            try eventually("it is raised", detail: program.transcript) {
                program.standardError.contains("\(Self.name): link up after")
            }
        }
        try eventually("the cycle ends", within: .seconds(30), detail: program.transcript) {
            state == .waiting || program.standardError.contains("\(Self.name): \(state.name) → ")
        }
        try eventually("it has the new name's lock", detail: program.transcript) {
            try link.isLocked(Self.name)
        }
        // The guard of a bounce keeps the lock of the old name until the bounce ends.
        try eventually("the old name is free", within: .seconds(30), detail: program.transcript) {
            try !link.isLocked(VirtualLink.near)
        }
        #expect(try link.isUp(Self.name))
        program.send(SIGTERM)
        let outcome = try program.outcome()
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try link.isUp(Self.name))
    }

    @Test("the service watches an interface that is named by an alternative name, and reports its name")
    func alternativeName() throws {
        let link = try VirtualLink()
        try link.nearIP("link property add dev \(VirtualLink.near) altname stable0")
        let program = try link.start(
            "run", ["--verbose", "--interval", "1h", "--probe", "none"], interface: "stable0")
        try ProgramState.waiting.reach(program)
        #expect(program.standardError.contains("\(VirtualLink.near): checking → waiting"))
        #expect(!program.standardError.contains("not there"), "\(program.transcript)")
        #expect(try link.isLocked(VirtualLink.near))
        try program.endService()
    }

    @Test(
        "a one-shot raises the renamed link, reports the new name, and keeps the locks of both names",
        arguments: [ProgramState.keptDown, .settling])
    func oneShot(_ state: ProgramState) throws {
        let link = try VirtualLink()
        try state.prepare(link)
        let (command, options) = state.oneShot
        let program = try link.start(command, ["--verbose"] + options)
        try state.reach(program)
        try rename(link)
        try eventually("it is told", detail: program.transcript) {
            program.standardError.contains("\(VirtualLink.near): is called \(Self.name) now")
        }
        try eventually("it has the new name's lock", detail: program.transcript) {
            try link.isLocked(Self.name)
        }
        #expect(try link.isLocked(VirtualLink.near))
        let outcome = try program.outcome()
        // While settling, the link has no carrier: it is sick at the end for this reason, not because of its
        // name.
        #expect(outcome.status == (state == .keptDown ? 0 : 1), "\(outcome)")
        #expect(outcome.standardOutput.contains("\(Self.name): "), "\(outcome)")
        #expect(outcome.standardError.contains("\(Self.name): ") == true, "\(outcome)")
        #expect(try link.isUp(Self.name))
    }

    @Test("if another run has the new name's lock, this is reported, and the link is raised")
    func takenName() throws {
        let link = try VirtualLink()
        let program = try link.start(
            "run", ["--force", "--delay", "3s", "--interval", "1h", "--verbose", "--settle", "0"])
        try ProgramState.keptDown.reach(program)
        let holder = try Child([
            "flock", link.runDirectory.appendingPathComponent("\(Self.name).lock").path, "sleep", "60",
        ])
        try eventually("the lock is taken") { try link.isLocked(Self.name) }
        try rename(link)
        try eventually("it is said and raised", detail: program.transcript) {
            program.standardError.contains("\(Self.name): locked by")
                && program.standardError.contains("\(Self.name): link up")
        }
        #expect(try link.isUp(Self.name))
        _ = holder
    }

    @Test("a foreign interface that is given the awaited name is watched")
    func givenName() throws {
        let link = try VirtualLink()
        try link.nearIP("link add stranger0 type veth peer name stranger1")
        let program = try link.start(
            "run", ["--interval", "1h", "--probe", "none", "--verbose"], interface: Self.name)
        try eventually("it is waited for", detail: program.transcript) {
            program.standardError.contains("\(Self.name): the interface is not there")
        }
        try link.nearIP("link set stranger0 name \(Self.name)")
        try eventually("it is watched", detail: program.transcript) {
            program.standardError.contains("\(Self.name): the interface is there")
        }
    }

    private func rename(_ link: VirtualLink) throws {
        try link.nearIP("link set \(VirtualLink.near) name \(Self.name)")
    }
}
