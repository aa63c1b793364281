import Foundation
import Testing

@Suite("Refusals and their exit statuses", .needsRoot)
struct RefusalTests {
    let link: VirtualLink

    init() throws { link = try VirtualLink() }

    static let acting = ["toggle", "reconnect", "probe"]

    @Test(
        "for a missing interface the status is 69, and the message tells how to list interfaces",
        arguments: acting)
    func missing(_ command: String) throws {
        let outcome = try link.run(command, interface: "absent0")
        #expect(outcome.status == 69, "\(outcome)")
        #expect(outcome.standardError.contains("absent0"), "\(outcome)")
        #expect(outcome.standardError.contains("list"), "\(outcome)")
    }

    @Test("without an interface name and without any Wi-Fi interface the status is 69", arguments: acting)
    func noneNamed(_ command: String) throws {
        let outcome = try link.run(command, interface: nil)
        #expect(outcome.status == 69, "\(outcome)")
        #expect(!outcome.standardError.isEmpty)
    }

    @Test(
        "for an interface that is not Wi-Fi the status is 69, and the message names --any-interface",
        arguments: acting)
    func notWireless(_ command: String) throws {
        let trace = try LinkTrace(link)
        let arguments = [Program.path, command] + link.files + [VirtualLink.near]
        let outcome = try Child(["ip", "netns", "exec", link.nearNamespace] + arguments).outcome()
        #expect(outcome.status == 69, "\(outcome)")
        #expect(outcome.words.contains("--any-interface"), "\(outcome)")
        #expect(try trace.isUntouched())
    }

    @Test("for a link that another program set down the status is 69, and it stays down", arguments: acting)
    func administrativelyDown(_ command: String) throws {
        try link.nearIP("link set \(VirtualLink.near) down")
        let outcome = try link.run(command)
        #expect(outcome.status == 69, "\(outcome)")
        #expect(outcome.words.contains("administratively down"), "\(outcome)")
        // `probe` never raises a link. Only a user who requested a bounce is told how to raise it.
        let remedy = "ip link set \(VirtualLink.near) up"
        #expect(command == "probe" || outcome.words.contains(remedy), "\(outcome)")
        #expect(try !link.isUp)
    }

    @Test("without CAP_NET_ADMIN a bounce is refused with 77 before anything is changed")
    func withoutCapabilities() throws {
        let trace = try LinkTrace(link)
        let outcome = try link.start("toggle", prefix: ["setpriv", "--bounding-set", "-all", "--"]).outcome()
        #expect(outcome.status == 77, "\(outcome)")
        #expect(outcome.standardError.contains("CAP_NET_ADMIN"), "\(outcome)")
        #expect(try trace.isUntouched())
        #expect(try link.isUp)
    }

    @Test("if the lock directory cannot be created, the status is 73, and nothing is changed")
    func lockDirectory() throws {
        let trace = try LinkTrace(link)
        // A plain file in the directory's place stops even root.
        try Data().write(to: link.runDirectory)
        let outcome = try link.run("toggle")
        #expect(outcome.status == 73, "\(outcome)")
        #expect(outcome.standardError.contains(link.runDirectory.path), "\(outcome)")
        #expect(try trace.isUntouched())
    }

    @Test(
        "if another run keeps the interface's lock, the status after --wait is 75",
        arguments: ["toggle", "run"])
    func locked(_ holder: String) throws {
        let trace = try LinkTrace(link)
        let options = holder == "run" ? ["--force", "--delay", "60s"] : ["--delay", "60s"]
        let first = try link.start(holder, options)
        _ = try trace.changes(atLeast: 1)
        let began = ContinuousClock.now
        // With an option that the service does not accept, the toggle takes the lock itself.
        let own = holder == "run" ? ["--settle", "1s"] : []
        let second = try link.run("toggle", ["--wait", "300ms"] + own)
        #expect(second.status == 75, "\(second)")
        #expect(second.standardError.contains(VirtualLink.near), "\(second)")
        #expect(ContinuousClock.now - began >= .milliseconds(300))
        first.send(SIGTERM)
        _ = try first.outcome()
        #expect(try link.isUp)
    }
}
