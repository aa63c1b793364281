import Foundation
import Glibc
import Testing

/// A record must not make root, or the service, do anything that the record's writer could not have done
/// himself.
@Suite("A forged intent record", .needsRoot)
struct ForgedRecordTests {
    /// An interface that an administrator has set down.
    private static let victim = "victim0"

    private let link: VirtualLink

    init() throws {
        link = try VirtualLink()
        try link.nearIP("link add \(Self.victim) address 02:00:00:00:77:77 type veth peer name victim1")
    }

    private var isVictimDown: Bool {
        get throws { try !link.nearIP("-oneline link show dev \(Self.victim)").contains(",UP,") }
    }

    private func place(_ interface: String) -> URL {
        link.runDirectory.appendingPathComponent("\(interface).intent")
    }

    /// A record of a bounce whose program and guard were killed while the link was kept down.
    private func record(of interface: String = VirtualLink.near) throws -> String {
        let program = try link.start(
            "toggle", ["--delay", "60s", "--settle", "5s", "--probe", "none"], interface: interface)
        try eventually("the link is kept down", detail: program.transcript) {
            let isUp = try interface == VirtualLink.near ? link.isUp : !isVictimDown
            return !isUp && program.standardError.contains("link down")
        }
        let text = try String(contentsOf: place(interface), encoding: .utf8)
        try program.killWithGuard()
        try link.nearIP("link set \(interface) down")
        // Remove the whole directory: the lock in it also belongs to root.
        try FileManager.default.removeItem(at: link.runDirectory)
        try FileManager.default.createDirectory(at: link.runDirectory, withIntermediateDirectories: false)
        return text
    }

    private func write(_ text: String, for interface: String = VirtualLink.near) throws {
        try Data(text.utf8).write(to: place(interface))
    }

    /// The record, with the index and the hardware address of the victim in its line about the interface.
    private func aimed(_ text: String) throws -> String {
        let number = try link.nearIP("-oneline link show dev \(Self.victim)").prefix { $0 != ":" }
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.hasPrefix("interface ")
                ? "interface \(number) 02:00:00:00:77:77 \(VirtualLink.near)" : String(line)
        }.joined(separator: "\n")
    }

    @Test("a record with another interface's index and address raises neither interface")
    func otherInterface() throws {
        let text = try aimed(record())
        let user = try ServiceUser(link)
        try write(text)
        // In a record of root's, the other index would mean that the interface was renamed.
        chown(place(VirtualLink.near).path, ServiceUser.number, ServiceUser.number)
        let outcome = try link.start("repair", interface: nil, prefix: user.asRoot).outcome()
        #expect(outcome.status == 0 && outcome.words.contains("the interface is gone"), "\(outcome)")
        #expect(try isVictimDown && !link.isUp)
        #expect(link.records.isEmpty)
    }

    @Test("a record under another interface's name is deleted")
    func misnamed() throws {
        try write(record(), for: "elsewhere0")
        let outcome = try link.run("repair", ["elsewhere0"], interface: nil)
        #expect(
            outcome.status == 0 && outcome.words.contains("the record of another interface"), "\(outcome)")
        #expect(try !link.isUp)
        #expect(link.records.isEmpty)
    }

    @Test(
        "a record of the service's user that names a driver or a reset is refused by root and the service",
        arguments: ["driver pci e1000e 0000:03:00.0", "reset usb cdc_ether 1-1:1.0"], [true, false])
    func ofADevice(line: String, isRoots: Bool) throws {
        let text = try record()
        let user = try ServiceUser(link)
        let forged = text.replacing("\nrestore yes\n", with: "\nrestore yes\n\(line)\n")
        #expect(forged != text)
        try write(forged)
        chown(place(VirtualLink.near).path, ServiceUser.number, ServiceUser.number)
        let prefix = isRoots ? user.asRoot : user.asService
        let outcome = try link.start("repair", interface: nil, prefix: prefix).outcome()
        #expect(outcome.status != 0 && outcome.words.lowercased().contains("not permitted"), "\(outcome)")
        #expect(try !link.isUp)
    }

    @Test("a record of a reset by a unit does not make root wait for another device for long")
    func ofAUnit() throws {
        let text = try record()
        let user = try ServiceUser(link)
        let line = "reset-unit usb cdc_ether 1-1:1.0"
        let forged = text.replacing("\nrestore yes\n", with: "\nrestore yes\n\(line)\n")
        #expect(forged != text)
        try write(forged)
        chown(place(VirtualLink.near).path, ServiceUser.number, ServiceUser.number)
        // There is no such device: the link is raised as after a bounce.
        let outcome = try link.start("repair", interface: nil, prefix: user.asRoot).outcome()
        #expect(outcome.words.contains("repair raised the link"), "\(outcome)")
        #expect(try link.isUp)
        #expect(link.records.isEmpty)
    }

    @Test("root's repair with the service user's record raises the link, and restores nothing")
    func ofTheServicesUser() throws {
        try link.makeThingsToLose()
        let text = try record()
        let user = try ServiceUser(link)
        try write(text)
        chown(place(VirtualLink.near).path, ServiceUser.number, ServiceUser.number)
        // Without --any-interface the command refuses: the record's interface is not a Wi-Fi interface.
        let refused = try link.startPlain("repair", [], prefix: user.asRoot).outcome()
        #expect(refused.status == 69 && refused.words.contains("--any-interface"), "\(refused)")
        #expect(try !link.isUp)
        let outcome = try link.start("repair", interface: nil, prefix: user.asRoot).outcome()
        #expect(outcome.words.contains("repair raised the link"), "\(outcome)")
        #expect(outcome.words.contains("still missing: 198.51.100.0/24"), "\(outcome)")
        #expect(outcome.words.contains("the record may be forged"), "\(outcome)")
        #expect(!outcome.words.contains("restored:"), "\(outcome)")
        #expect(try link.isUp && !link.state().contains("198.51.100.0/24"))
        #expect(link.records.isEmpty)
    }

    /// The victim's addresses and routes.
    private static let treasures = [
        "10.88.0.2/24", "2001:db8:88::2/64", "203.0.113.0/24", "2001:db8:89::/48",
    ]

    /// A record of the link into which the victim's items were copied. The victim is up, and an administrator
    /// has deleted these addresses and routes from it.
    private func recordWithTheVictimsItems() throws -> String {
        for peer in [Self.victim, "victim1"] { try link.nearIP("link set \(peer) up") }
        for (words, item) in zip(["address", "address", "route", "-6 route"], Self.treasures) {
            try link.nearIP("\(words) add \(item) dev \(Self.victim)")
        }
        let items = try record(of: Self.victim).split(separator: "\n").filter { $0.hasPrefix("item ") }
        for item in Self.treasures { #expect(items.contains { $0.contains(item) }, "\(item): \(items)") }
        try link.nearIP("address flush dev \(Self.victim)")
        try link.nearIP("link set \(Self.victim) up")
        try link.makeThingsToLose()
        return try record().replacing("\nend\n", with: "\n\(items.joined(separator: "\n"))\nend\n")
    }

    @Test(
        "from a record of its own user the service restores only what belongs to the record's interface",
        .needsLandlock, arguments: ["repair", "run"])
    func forTheService(_ command: String) throws {
        let text = try recordWithTheVictimsItems()
        let user = try ServiceUser(link)
        try write(text)
        chown(place(VirtualLink.near).path, ServiceUser.number, ServiceUser.number)
        let program = try link.start(
            command, command == "run" ? ["--interval", "1h", "--probe", "none"] : [], prefix: user.asService)
        try eventually("the record is used up", detail: program.transcript) {
            link.records.isEmpty && program.standardError.contains("repair raised the link")
        }
        if command == "run" { program.send(SIGTERM) }
        let outcome = try program.outcome()
        #expect(outcome.status == (command == "run" ? 0 : 1), "\(outcome)")
        // The link's own routes and addresses are back.
        #expect(outcome.words.contains("restored: "), "\(outcome)")
        #expect(try link.isUp && link.state().contains("198.51.100.0/24"), "\(outcome)")
        let victims = try ["address", "route", "-6 route"].map {
            try link.nearIP("\($0) show dev \(Self.victim)")
        }
        for item in Self.treasures {
            #expect(!victims.contains { $0.contains(item) }, "\(item): \(victims)")
            let told = outcome.words.split(separator: "\n").filter { $0.contains(item) }
            #expect(
                told.contains { $0.contains("could not restore") && $0.hasSuffix("whose record lists it") },
                "\(item): \(outcome)")
        }
    }

    /// Which process ends the bounce.
    enum Ending: CaseIterable { case program, itsGuard, repair }

    @Test(
        "a copy of root's record that the service's user kept raises nothing after the bounce",
        arguments: [
            (.program, "mv"), (.itsGuard, "mv"), (.program, "ln"), (.itsGuard, "ln"), (.repair, "ln"),
        ]
            as [(Ending, String)])
    func putBack(_ ending: Ending, _ command: String) throws {
        let user = try ServiceUser(link)
        let program = try link.start(
            "toggle", ["--delay", "60s", "--settle", "5s", "--probe", "none"], prefix: user.asRoot)
        try eventually("the link is kept down", detail: program.transcript) {
            try !link.isUp && program.standardError.contains("link down")
        }
        let (record, kept) = (place(VirtualLink.near).path, link.runDirectory.path + "/kept")
        // Root makes the hard link: some systems refuse a link to another user's file
        // (fs.protected_hardlinks, proc(5)).
        let whose = command == "mv" ? user.asAnybody : []
        #expect(try Child(whose + [command, record, kept]).outcome().status == 0)
        #expect(try String(contentsOfFile: kept, encoding: .utf8).hasSuffix("\nend\n"))
        switch ending {
        case .program: program.send(SIGTERM)
        case .itsGuard: program.send(SIGKILL)
        case .repair:
            try program.killWithGuard()
            let outcome = try link.start("repair", interface: nil, prefix: user.asRoot).outcome()
            #expect(outcome.words.contains("repair raised the link"), "\(outcome)")
        }
        _ = try program.outcome()
        try eventually("the bounce is over", detail: program.transcript) {
            try link.isUp && GuardProcesses.mentioning(link.runDirectory.path).isEmpty
        }
        try link.nearIP("link set \(VirtualLink.near) down")
        #expect(try Child(user.asAnybody + ["mv", "-f", kept, record]).outcome().status == 0)
        let outcome = try link.start("repair", interface: nil, prefix: user.asRoot).outcome()
        #expect(outcome.status == 0 && !outcome.words.contains("raised"), "\(outcome)")
        #expect(try !link.isUp)
        #expect(link.records.isEmpty)
    }

    @Test("repair does not empty a file of root's to which a forged record is a hard link")
    func linkedFile() throws {
        let user = try ServiceUser(link)
        let precious = link.directory.appendingPathComponent("precious").path
        try Data("root's\n".utf8).write(to: URL(fileURLWithPath: precious))
        chmod(precious, 0o644)
        #expect(try Child(["ln", precious, place(VirtualLink.near).path]).outcome().status == 0)
        let outcome = try link.start("repair", interface: nil, prefix: user.asRoot).outcome()
        #expect(outcome.status == 0 && link.records.isEmpty, "\(outcome)")
        #expect(try String(contentsOfFile: precious, encoding: .utf8) == "root's\n")
    }

    @Test(
        "toggle and run raise a record's interface if the configuration file permits the interface",
        arguments: ["toggle", "run"])
    func permittedByTheFile(_ command: String) throws {
        let text = try record()
        let user = try ServiceUser(link)
        try write(text)
        chown(place(VirtualLink.near).path, ServiceUser.number, ServiceUser.number)
        try link.configure("[\(VirtualLink.near)]\nany-interface = yes\nprobe = none\n")
        let program = try link.startPlain(command, [VirtualLink.near], prefix: user.asRoot)
        try eventually("the link is raised", detail: program.transcript) {
            program.standardError.contains("repair raised the link")
        }
        // `toggle` takes the link down once more for its own bounce.
        program.send(SIGTERM)
        _ = try program.outcome()
        #expect(try link.isUp)
    }

    /// Writes a record with a settle time of 115 days. Its link never becomes operational, so all of it would
    /// pass.
    private func writePatient() throws {
        try link.farIP("link set \(VirtualLink.far) down")
        let text = try record()
        let forged = text.replacingOccurrences(of: "settle 5000000000", with: "settle 10000000000000000")
        #expect(forged != text)
        try write(forged)
    }

    @Test("a record with a settle time of 115 days delays a command by a minute at most")
    func patientForCommands() throws {
        try writePatient()
        let outcome = try link.start("repair", interface: nil).outcome(within: .seconds(60))
        #expect(outcome.status == 0 && outcome.words.contains("repair raised the link"), "\(outcome)")
    }

    /// A service that waits for the link as long as a command does would exceed this.
    private static let lessThanAMinute: Duration = .seconds(45)

    @Test("a record with a settle time of 115 days prevents neither start nor end of a service")
    func patient() throws {
        try writePatient()
        let service = try link.start("run", ["--json", "--interval", "1h", "--probe", "none"])
        try eventually("the service answers", within: Self.lessThanAMinute, detail: service.transcript) {
            let words = ["--config", link.configuration.path, "--run-dir", link.runDirectory.path]
            return try (0...2).contains(Program.run(["status"] + words).status)
        }
        try eventually("the link is up", within: Self.lessThanAMinute, detail: service.transcript) {
            try link.isUp
        }
        service.send(SIGTERM)
        #expect(try service.outcome(within: Self.lessThanAMinute).status == 0)
    }
}
