import Foundation
import Glibc
import Platform
import Testing

@Suite("The history on the control socket", .needsRoot)
struct ControlHistoryTests {
    private func state(_ link: VirtualLink) -> URL { link.directory.appendingPathComponent("state") }

    /// Runs `history --json`.
    private func print(_ link: VirtualLink, _ words: [String] = []) throws -> RunOutcome {
        let files = ["--config", link.configuration.path, "--state-dir", state(link).path]
        let outcome = try Program.run(["history", "--json"] + files + words)
        try #require(outcome.status == 0, "\(outcome)")
        return outcome
    }

    private func history(_ link: VirtualLink, _ words: [String] = []) throws -> [[String: Any]] {
        try print(link, words).objects
    }

    /// The value without null members, because a client need not distinguish null from missing members.
    private func plain(_ value: Any) -> Any {
        switch value {
        case let members as [String: Any]: members.filter { !($0.value is NSNull) }.mapValues(plain)
        case let elements as [Any]: elements.map(plain)
        default: value
        }
    }

    private func plain(_ objects: [[String: Any]]) -> NSArray { objects.map { plain($0 as Any) } as NSArray }

    // MARK: Another project's client

    private func ask(_ link: VirtualLink, _ parameters: String) throws -> [[String: Any]] {
        let outcome = try VarlinkClient.start(link.controlSocket, ["stream", "History", parameters]).outcome()
        try #require(outcome.status == 0, "\(outcome)")
        return outcome.objects
    }

    private func records(_ replies: [[String: Any]]) -> [[String: Any]] {
        replies.flatMap { $0["records"] as? [[String: Any]] ?? [] }
    }

    @Test(
        "a foreign client gets what history --json prints, also for one interface or from a time on",
        .needsVarlink)
    func stranger() throws {
        let link = try VirtualLink(gateway: .none)
        try HistoryFile.write(150, of: VirtualLink.near, in: state(link))
        try HistoryFile.write(3, of: "old0", in: state(link))
        let service = try link.startQuietService()
        let all = try history(link)
        #expect(all.count == 306)
        let replies = try ask(link, "{}")
        #expect(replies.count > 1 && plain(records(replies)) == plain(all))
        #expect(replies.allSatisfy { $0["left_out"] as? Int == 0 })
        // Without the flag `more` there is one reply alone. Its size is limited, so it has only the newest
        // entries, and says how many it leaves out.
        let newest = try VarlinkClient.call(link.controlSocket, "History")
        let kept = records([newest])
        let near = all.filter { $0["interface"] as? String == VirtualLink.near }
        #expect(kept.count > 50 && plain(kept) == plain(near.suffix(kept.count)), "\(kept.count)")
        #expect(newest["left_out"] as? Int == all.count - kept.count, "\(kept.count)")

        let since = "2026-01-01T02:28:00Z"
        let late = try VarlinkClient.call(
            link.controlSocket, "History", #"{"interface":"\#(VirtualLink.near)","since":"\#(since)"}"#)
        let expected = try history(link, ["--since", since, VirtualLink.near])
        #expect(expected.count == 4 && plain(records([late])) == plain(expected), "\(late)")
        // An interface that the service does not watch, but that has a history.
        let old = try VarlinkClient.call(link.controlSocket, "History", #"{"interface":"old0"}"#)
        #expect(records([old]).count == 6 && old["left_out"] as? Int == 0, "\(old)")

        let nowhere = try VarlinkClient.call(link.controlSocket, "History", #"{"interface":"nowhere0"}"#)
        #expect(nowhere["error"] as? String == "wifitoggler.Control.NotWatched", "\(nowhere)")
        let never = try VarlinkClient.call(link.controlSocket, "History", #"{"since":"never"}"#)
        #expect(never["error"] as? String == "org.varlink.service.InvalidParameter", "\(never)")
        try service.endService()
    }

    @Test("without a history there is one empty reply, and for an untrusted file the reason", .needsVarlink)
    func nothing() throws {
        let link = try VirtualLink(gateway: .none)
        let service = try link.startQuietService()
        let near = #"{"interface":"\#(VirtualLink.near)"}"#
        for replies in [
            try ask(link, "{}"), try ask(link, near), [try VarlinkClient.call(link.controlSocket, "History")],
        ] {
            #expect(replies.count == 1 && replies[0]["left_out"] as? Int == 0, "\(replies)")
            #expect((replies[0]["records"] as? [Any])?.isEmpty == true, "\(replies)")
        }
        let file = state(link).appendingPathComponent("\(VirtualLink.near).history")
        try FileManager.default.removeItem(at: file)
        #expect(records([try VarlinkClient.call(link.controlSocket, "History", near)]).isEmpty)
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: link.configuration)
        let linked = try VarlinkClient.call(link.controlSocket, "History", near)
        #expect(linked["error"] as? String == "wifitoggler.Control.NotRead", "\(linked)")
        let reason = (linked["parameters"] as? [String: Any])?["reason"] as? String
        #expect(reason?.contains(file.path) == true, "\(linked)")
        try service.endService()
    }

    // MARK: A full file, and clients that do not read

    private var soon: Int64 { BootClock.now() + 60_000_000_000 }

    /// Requests everything that is stored about an interface.
    private func begin(_ link: VirtualLink, _ interface: String) throws -> BlockingStream {
        let stream = try BlockingStream.connect(to: "control", in: link.runDirectory.path, before: soon)
        let call =
            #"{"method":"wifitoggler.Control.History","parameters":{"interface":"\#(interface)"},"more":true}"#
        try stream.send(Array(call.utf8) + [0], before: soon)
        return stream
    }

    private struct SentAway: Error {}

    /// Reads all replies, up to the last one. Returns the text of their records, and the number of replies.
    private func told(
        _ stream: BlockingStream, after begin: [UInt8] = []
    ) throws -> (records: String, replies: Int) {
        var bytes = begin
        let end = Array(#"],"left_out":0}}"#.utf8) + [0]
        while !bytes.suffix(end.count).elementsEqual(end) {
            let part = try stream.receive(before: soon)
            guard !part.isEmpty else { throw SentAway() }
            bytes += part
        }
        let replies = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        let records = replies.map { reply in
            let text = reply.components(separatedBy: #"],"left_out":"#)[0]
            return String(text.dropFirst(#"{"parameters":{"records":["#.count))
        }
        return (records.filter { !$0.isEmpty }.joined(separator: ","), replies.count)
    }

    @Test("a full file is sent whole; a client that does not read delays no check and no other client")
    func full() throws {
        let link = try VirtualLink(gateway: .none)
        try HistoryFile.write(930, of: VirtualLink.near, in: state(link))
        let sizes = try [".history", ".history.old"].map { name in
            let path = state(link).path + "/\(VirtualLink.near)\(name)"
            return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        }
        #expect(sizes.allSatisfy { (480 << 10..<512 << 10).contains($0) }, "\(sizes)")
        try HistoryFile.write(200, of: "old0", in: state(link))
        let service = try link.startQuietService()

        let idle = try (0..<4).map { _ in try begin(link, "old0") }
        let beginnings = try idle.map { try $0.receive(before: soon) }
        #expect(beginnings.allSatisfy { !$0.isEmpty })
        service.send(SIGUSR1)
        try eventually("the next cycle", detail: service.transcript) { service.cycles == 2 }
        // This is one client more than the service serves at a time, so the first one is disconnected.
        let near = try told(try begin(link, VirtualLink.near))
        let lines = try print(link, [VirtualLink.near]).standardOutput.split(separator: "\n")
        #expect(lines.count == 1860 && near.replies > 40)
        #expect(near.records == lines.joined(separator: ","), "what is told differs from what is printed")
        #expect(throws: SentAway.self) { try told(idle[0], after: beginnings[0]) }
        // The other clients get all records once they continue to read.
        let old = try told(idle[1], after: beginnings[1])
        let others = try print(link, ["old0"]).standardOutput.split(separator: "\n")
        #expect(old.records == others.joined(separator: ","), "what is told differs from what is printed")
        try service.endService()
    }
}
