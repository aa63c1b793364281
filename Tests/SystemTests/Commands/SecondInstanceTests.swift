import Glibc
import Testing

@Suite("Several runs on one interface", .needsRoot)
struct SecondInstanceTests {
    @Test(
        "two one-shots let a running service bounce for them, one bounce after the other"
    )
    func besideService() throws {
        let link = try VirtualLink(gateway: .none)
        let trace = try LinkTrace(link)
        let timer = [
            "--force", "--interval", "2s", "--delay", "1s", "--settle", "0", "--probe", "none",
        ]
        let service = try link.start("run", timer)
        _ = try trace.changes(atLeast: 1)
        let shots = try (1...2).map { _ in try link.start("toggle", ["--wait", "30s", "--delay", "1s"]) }
        for shot in shots {
            let outcome = try shot.outcome()
            #expect(outcome.status == 0, "\(outcome)")
        }
        // A service that is terminated while it keeps the link down raises the link early.
        let seen = trace.changes.count
        _ = try trace.changes(atLeast: seen + 2 + seen % 2)
        service.send(SIGTERM)
        let outcome = try service.outcome()
        #expect(outcome.status == 0, "\(outcome)")
        try trace.catchUp()
        expectOneAtATime(trace.changes, pause: 1)
        #expect(try link.isUp)
    }

    @Test("four one-shots at the same time bounce one after the other")
    func oneAfterAnother() throws {
        let link = try VirtualLink(gateway: .none)
        let trace = try LinkTrace(link)
        let shots = try (1...4).map { _ in
            try link.start("toggle", ["--wait", "60s", "--delay", "1s", "--probe", "none"])
        }
        for shot in shots {
            let outcome = try shot.outcome()
            #expect(outcome.status == 0, "\(outcome)")
        }
        #expect(try trace.changes(atLeast: 8).count == 8)
        expectOneAtATime(trace.changes, pause: 1)
    }

    /// If two runs bounced the link at the same time, one would raise it before the other's pause has passed.
    /// The trace may record a change late on a busy machine, so a time down of half the pause, in seconds, is
    /// enough.
    private func expectOneAtATime(_ changes: [LinkTrace.Change], pause: Double) {
        for (position, change) in changes.enumerated() {
            #expect(change.isUp == (position % 2 == 1), "\(changes)")
            guard change.isUp, position > 0 else { continue }
            #expect(change.time - changes[position - 1].time >= pause / 2, "\(changes)")
        }
    }
}
