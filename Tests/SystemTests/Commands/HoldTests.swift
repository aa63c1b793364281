import Foundation
import Glibc
import Testing

@Suite("hold", .needsRoot)
struct HoldTests {
    private func hold(_ link: VirtualLink, _ words: String...) throws -> RunOutcome {
        try link.runHold(words)
    }

    /// A far end that only a bounce cures.
    private func sickLink() throws -> VirtualLink {
        let link = try VirtualLink()
        try link.keepDefaultRoute()
        try link.cureFarEndByBounce()
        try link.muteFarEnd()
        return link
    }

    private static let quick = ReconnectTests.quick + ["--fall", "1"]

    @Test("reconnect checks and does not bounce until the hold is released", arguments: [true, false])
    func reconnect(_ isGeneral: Bool) throws {
        let link = try sickLink()
        let trace = try LinkTrace(link)
        let given = try isGeneral ? hold(link, "1h") : hold(link, "1h", VirtualLink.near)
        #expect(given.status == 0 && given.words.contains("no bounce for 1h"), "\(given)")
        let held = try link.run("reconnect", ["--json"] + Self.quick)
        #expect(held.status == 1, "\(held)")
        #expect(held.objects.last?["action"] as? String == "held", "\(held)")
        #expect((held.objects.last?["reason"] as? String)?.contains("wifi-toggler hold") == true, "\(held)")
        #expect(try trace.isUntouched())
        let released = try isGeneral ? hold(link, "0") : hold(link, "0", VirtualLink.near)
        #expect(released.status == 0 && released.words.contains("released"), "\(released)")
        #expect(try link.run("reconnect", Self.quick).status == 0)
        #expect(try trace.changes(atLeast: 2).map(\.isUp) == [false, true])
    }

    @Test("a toggle bounces in spite of a hold")
    func toggle() throws {
        let link = try VirtualLink()
        let trace = try LinkTrace(link)
        #expect(try hold(link, "1h").status == 0)
        #expect(try link.run("toggle", ["--delay", "0", "--probe", "none"]).status == 0)
        #expect(try trace.changes(atLeast: 2).map(\.isUp) == [false, true])
    }

    @Test(
        "run --force does not bounce before the hold has ended, not even with --even-if-in-use",
        arguments: [[], ["--even-if-in-use"]])
    func run(more: [String]) throws {
        let link = try VirtualLink()
        let began = ContinuousClock.now
        #expect(try hold(link, "2s", VirtualLink.near).status == 0)
        let trace = try LinkTrace(link)
        let options = ["--force", "--interval", "300ms", "--delay", "50ms", "--probe", "none"] + more
        let service = try link.start("run", options)
        try eventually("it bounces", detail: service.transcript) { try !trace.changes(atLeast: 1).isEmpty }
        #expect(ContinuousClock.now - began >= .seconds(2))
        service.send(SIGTERM)
        #expect(try service.outcome().status == 0)
    }

    @Test("a hold file that a user made by hand holds until it is removed")
    func byHand() throws {
        let link = try sickLink()
        #expect(try link.run("probe").status == 1)
        try FileManager.default.createDirectory(at: link.runDirectory, withIntermediateDirectories: true)
        let file = link.runDirectory.appendingPathComponent("hold")
        try Data().write(to: file)
        let held = try link.run("reconnect", Self.quick)
        #expect(held.status == 1 && held.words.contains("hold 0"), "\(held)")
        try FileManager.default.removeItem(at: file)
        #expect(try link.run("reconnect", Self.quick).status == 0)
    }

    @Test("a hold on a missing interface is refused, and no file is written")
    func absent() throws {
        let link = try VirtualLink()
        let outcome = try hold(link, "1h", "nowhere0")
        #expect(outcome.status == 69, "\(outcome)")
        #expect(link.records.isEmpty)
        let nothing = try hold(link, "0")
        #expect(nothing.status == 0 && nothing.words.contains("nothing was held"), "\(nothing)")
    }
}
