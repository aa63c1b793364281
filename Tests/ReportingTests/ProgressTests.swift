import Model
import Testing

@testable import Reporting
@testable import Toggling

@Suite("The progress line") struct ProgressTests {
    private static let begin = Instant(nanoseconds: 5_000_000_000)

    @Test("the progress line says what is awaited, for how long so far and at most, in whole seconds")
    func line() {
        let holding = Progress("keeping the link down", most: .seconds(3))
        var line = ProgressLine(interface: "wlan0", holding, at: Self.begin)
        #expect(line.text(at: Self.begin) == "wlan0: keeping the link down, 0ms of 3s")
        #expect(line.text(at: Self.begin + .milliseconds(1600)) == "wlan0: keeping the link down, 2s of 3s")
        // Progress with the same text continues the wait; another text starts a new wait.
        line.take(Progress("keeping the link down", most: .seconds(9)), at: Self.begin + .seconds(1))
        #expect(line.text(at: Self.begin + .seconds(2)) == "wlan0: keeping the link down, 2s of 10s")
        line.take(Progress("waiting", most: nil), at: Self.begin + .seconds(3))
        #expect(line.text(at: Self.begin + .seconds(4)) == "wlan0: waiting, 1s")
        #expect(line.text(at: Self.begin) == "wlan0: waiting, 0ms", "a clock that is read late")
    }

    @Test("the progress of each state says what is awaited, and for how long at most")
    func states() {
        let settings = Settings()
        let next = NextCheck(at: Self.begin + .seconds(60), why: .schedule)
        let waiting = Progress(.waiting(next), under: settings, at: Self.begin)
        #expect(waiting == Progress("waiting for the next check", most: .seconds(60)))
        let late = Progress(.waiting(next), under: settings, at: Self.begin + .seconds(90))
        #expect(late?.most == .zero)
        #expect(Progress(.idle, under: settings, at: Self.begin) == nil)
        #expect(Progress(.finished(.healthy), under: settings, at: Self.begin) == nil)
        #expect(Progress(.absent(Absence()), under: settings, at: Self.begin)?.most == nil)
        for name in LogExamples.states {
            #expect(Progress.description(ofState: name) != nil, "\(name)")
        }
    }

    @Test("a client gets the progress from the moment its call is accepted")
    func sent() throws {
        let service = ControlService(
            version: "0", status: { _ in nil }, lastEvents: { [] }, metrics: { "" },
            history: FakeArchive().archive, watches: { _ in true }, cycle: { _ in false },
            hold: { _, _ in .notWatched })
        var session = ControlSession(mayAct: true)
        let progress = Progress("keeping the link down", most: .milliseconds(2500))
        #expect(session.bytes(ofStep: [], progress).isEmpty, "to nobody who did not ask")
        _ = session.take(ControlCall.toggle("wlan0", delay: nil), service)
        for told in [progress, Progress("waiting", most: nil)] {
            let bytes = session.bytes(ofStep: [], told).dropLast()
            guard case .steps(let lines, let got)? = try? ControlCall.reply(bytes) else {
                Issue.record("no step")
                return
            }
            #expect(lines.isEmpty && got == told)
        }
    }
}
