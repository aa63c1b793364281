import Foundation
import Glibc
import Platform
import Testing

@Suite("Events on the control socket between two checks", .needsRoot)
struct MonitorTests {
    /// A client that monitors, and the events that it has received.
    private final class Monitor {
        private let stream: BlockingStream
        private var bytes: [UInt8] = []
        private(set) var events: [[String: Any]] = []

        init(_ link: VirtualLink) throws {
            stream = try BlockingStream.connect(
                to: "control", in: link.runDirectory.path, before: BootClock.now() + Self.timeout)
            let call = #"{"method":"wifitoggler.Control.Monitor","more":true}"#
            try stream.send(Array(call.utf8) + [0], before: BootClock.now() + Self.timeout)
        }

        private static let timeout: Int64 = 60_000_000_000

        /// Waits for the next event with this name, or for the next end of a check if it is nil.
        @discardableResult
        func next(_ word: String?) throws -> [String: Any] {
            while true {
                while let end = bytes.firstIndex(of: 0) {
                    let reply = try JSONSerialization.jsonObject(with: Data(bytes[..<end]))
                    bytes.removeFirst(end + 1)
                    let parameters = (reply as? [String: Any])?["parameters"] as? [String: Any]
                    let event = try #require(parameters?["event"] as? [String: Any], "\(reply)")
                    events.append(event)
                    if event["event"] as? String == word { return event }
                }
                let more = try? stream.receive(before: BootClock.now() + Self.timeout)
                guard let more, !more.isEmpty else {
                    throw Overdue(sentence: "\(word ?? "the end of a check") is told", detail: "\(events)")
                }
                bytes += more
            }
        }

        func reason(of word: String) throws -> String { try next(word)["reason"] as? String ?? "" }
    }

    private static let quiet = ["--interval", "1h", "--probe", "none", "--settle", "0", "--delay", "0"]

    private func serve(_ link: VirtualLink, _ interface: String = VirtualLink.near) throws -> Child {
        let service = try link.start("run", Self.quiet, interface: interface)
        try eventually("the first check", detail: service.transcript) {
            service.standardError.contains("\(VirtualLink.near): healthy")
        }
        return service
    }

    private func hold(_ link: VirtualLink, _ words: String...) throws {
        let outcome = try link.runHold(words)
        #expect(outcome.status == 0, "\(outcome)")
    }

    @Test("the start and the end of a hold are events, however it is set and however it ends")
    func holds() throws {
        let link = try VirtualLink(gateway: .none)
        let service = try serve(link)
        let monitor = try Monitor(link)
        try monitor.next(nil)
        try hold(link, "1h", VirtualLink.near)
        let set = try monitor.next("hold-set")
        #expect(set["interface"] as? String == VirtualLink.near && set["verdict"] is NSNull, "\(set)")
        #expect((set["reason"] as? String)?.hasPrefix("no bounce for another 1h, ") == true, "\(set)")
        let later = try Monitor(link)
        try later.next("hold-set")
        #expect(later.events.count == 2, "the last check, and what still is so: \(later.events)")
        unlink(link.runDirectory.path + "/\(VirtualLink.near).hold")
        #expect(try monitor.reason(of: "hold-over").hasPrefix("released"))
        try Data().write(to: link.runDirectory.appendingPathComponent("hold"))
        #expect(try monitor.reason(of: "hold-set").contains("until 'wifi-toggler hold 0'"))
        try hold(link, "500ms")
        #expect(try monitor.reason(of: "hold-set").hasPrefix("no bounce for another 1s"))
        #expect(try monitor.reason(of: "hold-over").hasPrefix("the time of the hold is over"))
        let told = service.standardError.split(separator: "\n")
        #expect(told.count { $0.contains("no bounce ") } == 3, "\(service.transcript)")
        #expect(told.count { $0.contains("it may be bounced again") } == 2, "\(service.transcript)")
        try service.endService()
    }

    @Test("a bounce's start, and an interface's disappearance, return and renaming, are events")
    func changes() throws {
        let link = try VirtualLink(gateway: .none)
        let service = try serve(link)
        let monitor = try Monitor(link)
        #expect(try link.run("toggle", ["--delay", "100ms"]).status == 0)
        let begun = try monitor.next("bounce-begun")
        #expect(
            begun["reason"] as? String == "requested by toggle or --force"
                && begun["methods"] as? [String] == ["bounce"])
        #expect(try monitor.next(nil)["action"] as? String == "bounced")
        try link.removeCable()
        try monitor.next("absent")
        let later = try Monitor(link)
        try later.next("absent")
        #expect(later.events.count == 1, "the last check is of the interface that has gone: \(later.events)")
        try link.makeCable()
        try monitor.next("appeared")
        try monitor.next(nil)
        // The hold is on the old name only, so the rename ends it.
        try hold(link, "1h", VirtualLink.near)
        try monitor.next("hold-set")
        try link.nearIP("link set \(VirtualLink.near) name fresh0")
        #expect(try monitor.reason(of: "renamed") == "is called fresh0 now")
        #expect(try monitor.next("hold-over")["interface"] as? String == "fresh0")
        try service.endService()
    }

    @Test("a new interface causes an event that says what the service does with the interface")
    func fresh() throws {
        let link = try VirtualLink(gateway: .none)
        let service = try serve(link, "*")
        let monitor = try Monitor(link)
        try monitor.next(nil)
        try link.nearIP("link add fresh0 type veth peer name fresh1")
        let started = try monitor.next("started")
        #expect((started["interface"] as? String)?.hasPrefix("fresh") == true, "\(started)")
        #expect((started["reason"] as? String)?.hasPrefix("starting: a check every 1h") == true, "\(started)")
        try service.endService()
    }
}
