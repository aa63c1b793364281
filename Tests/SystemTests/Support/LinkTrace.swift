import Foundation
import Glibc

/// The kernel's announcements about the near end, from `ip monitor`: every change of its administrative
/// state.
final class LinkTrace {
    /// A change of IFF_UP.
    struct Change: Equatable, CustomStringConvertible {
        var isUp: Bool
        /// Seconds since the month began.
        var time: Double

        var description: String { "\(isUp ? "up" : "down") at \(time)" }
    }

    private let listener: Listener
    private let link: VirtualLink
    /// How many lines came from changes that the test itself made at the beginning.
    private var own = 0
    /// The last MTU of the loopback link that `catchUp` has set; no other program uses these values.
    private var marks = 30_000

    /// The prefix that gives `ip monitor` real-time priority; empty if that is not permitted. `ip monitor`
    /// prints the time at which it reads an event, and without the priority it reads late on a busy machine.
    private static let atOnce: [String] = {
        let words = ["chrt", "--fifo", "1"]
        return (try? Child(words + ["true"]).outcome().status) == 0 ? words : []
    }()

    /// Starts the trace. The link must be up.
    init(_ link: VirtualLink) throws {
        self.link = link
        listener = try Listener(
            Self.atOnce + [
                "ip", "-n", link.nearNamespace, "-oneline", "-tshort", "monitor", "link",
            ], in: link.nearNamespace, on: VirtualLink.near)
        try catchUp()
        own = lines.count
    }

    /// Waits until all announcements so far have been read.
    func catchUp() throws {
        marks += 1
        try link.nearIP("link set lo mtu \(marks)")
        try eventually("the trace catches up", detail: listener.heard) {
            listener.heard.contains("mtu \(marks) ")
        }
    }

    /// Whether the link has not been set down or up so far.
    func isUntouched() throws -> Bool {
        try catchUp()
        return changes.isEmpty
    }

    /// How many announcements there were about the near end.
    var announcements: Int { lines.count - own }

    private var lines: [Substring] {
        listener.heard.split(separator: "\n").filter { $0.contains(VirtualLink.near) }
    }

    /// The present time on the trace's scale: in local time, as ip(8) prints it.
    static var now: Double {
        var clock = timespec()
        clock_gettime(CLOCK_REALTIME, &clock)
        var local = tm()
        localtime_r(&clock.tv_sec, &local)
        let seconds = ((Double(local.tm_mday) * 24 + Double(local.tm_hour)) * 60 + Double(local.tm_min)) * 60
        return seconds + Double(local.tm_sec) + Double(clock.tv_nsec) / 1e9
    }

    /// The changes so far, the oldest first.
    var changes: [Change] {
        var changes: [Change] = []
        for line in lines {
            guard let flags = Self.flags(in: line), let time = Self.time(in: line) else { continue }
            let isUp = flags.contains("UP")
            if isUp != (changes.last?.isUp ?? true) { changes.append(Change(isUp: isUp, time: time)) }
        }
        return changes
    }

    /// Waits until there are at least this many changes, and returns all of them.
    func changes(atLeast count: Int, within limit: Duration = .seconds(30)) throws -> [Change] {
        try eventually("\(count) changes of the link", within: limit, detail: listener.heard) {
            changes.count >= count
        }
        return changes
    }

    /// The flags between `<` and `>`, as in `<BROADCAST,MULTICAST,UP,LOWER_UP>`.
    static func flags(in line: Substring) -> [String]? {
        guard let start = line.firstIndex(of: "<"), let end = line[start...].firstIndex(of: ">") else {
            return nil
        }
        return line[line.index(after: start)..<end].split(separator: ",").map(String.init)
    }

    /// The time in `[2026-01-31T12:34:56.789012] …`, in seconds since the month began.
    private static func time(in line: Substring) -> Double? {
        let digits = line.dropFirst().prefix { $0 != "]" }
        let parts = digits.split(whereSeparator: { "-T:".contains($0) }).compactMap { Double($0) }
        guard parts.count == 6 else { return nil }
        return ((parts[2] * 24 + parts[3]) * 60 + parts[4]) * 60 + parts[5]
    }
}
