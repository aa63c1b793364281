import Foundation
import HelperProtocol
import Model
import Platform
import TestSupport
import Testing

@testable import Probing

/// The helper is a shell script here. Whatever the script does, each question ends; if the script did not
/// answer the question, the result is unknown.
@MainActor @Suite("The supervisor of the helper", .timeLimit(.minutes(10)))
struct HelperSupervisorTests {
    private final class Results {
        var seen: [Result<HelperAnswer.Outcome, Failure>] = []
        var words: [String] {
            seen.map { result in
                switch result {
                case .success(.unanswered(let detail)): "answer: \(detail)"
                case .success(let outcome): "\(outcome)"
                case .failure(let failure): failure.description
                }
            }
        }
    }

    /// A temporary directory, removed with the test.
    private final class Place {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "supervisor-\(UUID().uuidString)")

        init() throws {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        }

        deinit { try? FileManager.default.removeItem(at: directory) }
    }

    private let place: Place
    private let results = Results()

    init() throws { place = try Place() }

    private var directory: URL { place.directory }
    private var path: String { directory.path + "/helper" }
    /// Each start appends a line.
    private var starts: Int {
        (try? String(contentsOf: directory.appendingPathComponent("starts"), encoding: .utf8))?
            .split(separator: "\n").count ?? 0
    }

    private func supervisor(
        _ script: String, pauses: HelperSupervisor.Pauses = HelperSupervisor.Pauses()
    ) throws -> HelperSupervisor {
        let head = "#!/bin/sh\nPATH=/usr/bin:/bin\necho $$ >>\(directory.path)/starts\n"
        try Data((head + script).utf8).write(to: URL(fileURLWithPath: path + ".text"))
        // Another process writes the program: otherwise a child of another test could have the file open for
        // writing, and it could not be executed (ETXTBSY).
        let install = Process()
        install.executableURL = URL(fileURLWithPath: "/usr/bin/install")
        install.arguments = ["-m", "755", path + ".text", path]
        try install.run()
        install.waitUntilExit()
        let path = path
        return HelperSupervisor(pauses: pauses, find: { () throws(HelperLocator.Absence) in path })
    }

    private func request(_ id: UInt32, url: String = "http://a/") -> HelperRequest {
        HelperRequest(
            id: id, question: .http(url: url, .status(204)), interface: "lo",
            index: InterfaceIndex(rawValue: 1),
            servers: [], timeout: .seconds(1))
    }

    @discardableResult
    private func ask(_ supervisor: HelperSupervisor) -> UInt32 {
        supervisor.ask({ request($0) }, { [results] in results.seen.append($0) })
    }

    /// Shell commands that wait for a question, and answer the question of this number with `unanswered` and
    /// the text `w`.
    private func answering(_ id: Int) -> String {
        "dd bs=4096 count=1 >/dev/null 2>&1; printf 'A\\000\\000\\000\\00\(id)\\002\\000\\001w' >&0\n"
    }

    @Test("the helper is started once, at the first question, and its answers are delivered")
    func answers() async throws {
        let supervisor = try supervisor(answering(1) + answering(2) + "read line")
        #expect(starts == 0)
        ask(supervisor)
        #expect(await eventually { results.words == ["answer: w"] })
        ask(supervisor)
        #expect(await eventually { results.words == ["answer: w", "answer: w"] })
        #expect(starts == 1)
    }

    @Test("a question to a helper that has just ended is answered by how it ended")
    func alreadyEnded() async throws {
        let supervisor = try supervisor("exit 3", pauses: Self.patient)
        ask(supervisor)
        // The event loop is blocked meanwhile, so the supervisor does not learn of the end before it is asked.
        #expect(isEnded())
        ask(supervisor)
        #expect(await eventually { results.seen.count == 2 })
        #expect(Set(results.words) == ["wifi-toggler-prober ended with status 3"])
    }

    /// Blocks until the process of the last start has ended, and was not reaped.
    private func isEnded() -> Bool {
        let end = ContinuousClock.now + testTimeout
        while ContinuousClock.now < end {
            let text = (try? String(contentsOfFile: directory.path + "/starts", encoding: .utf8)) ?? ""
            let process = text.split(separator: "\n").last ?? ""
            let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
            if status.contains("State:\tZ") { return true }
            usleep(1000)
        }
        return false
    }

    /// With these times no helper is ended because it hangs, and none is started again.
    private static let patient = HelperSupervisor.Pauses(
        grace: .seconds(3600), first: .seconds(3600), longest: .seconds(3600))

    private static let killsItself = "dd bs=4096 count=1 >/dev/null 2>&1; kill -9 $$"
    private static let death = "wifi-toggler-prober was ended by signal 9"

    @Test("if the helper dies, its open questions are unknown, and a new helper is not started at once")
    func death() async throws {
        let supervisor = try supervisor(
            Self.killsItself, pauses: HelperSupervisor.Pauses(first: .seconds(3600), longest: .seconds(3600)))
        ask(supervisor)
        ask(supervisor)
        #expect(await eventually { results.seen.count == 2 })
        #expect(results.words == [Self.death, Self.death])
        ask(supervisor)
        #expect(results.words.last == Self.death + "; it is not started again yet")
        #expect(starts == 1)
    }

    @Test("a helper that died is restarted after a pause")
    func restart() async throws {
        let supervisor = try supervisor(
            Self.killsItself, pauses: HelperSupervisor.Pauses(first: .milliseconds(50)))
        ask(supervisor)
        #expect(await eventually { results.words == [Self.death] })
        #expect(
            await eventually {
                if starts == 1 { ask(supervisor) }
                return starts == 2
            })
        #expect(await eventually { results.words.last == Self.death })
    }

    @Test("the pauses before a restart double, up to a maximum")
    func pauses() {
        let pauses = HelperSupervisor.Pauses()
        #expect([0, 1, 2, 8, 9, 1000].map(pauses.pause) == [1, 2, 4, 256, 300, 300].map { .seconds($0) })
    }

    @Test(
        "a helper that sends a malformed answer is ended",
        arguments: [
            "printf nonsense >&0", "head -c 4096 /dev/zero >&0",
            "printf 'A\\000\\000\\000\\001\\002\\000\\001\\n' >&0",
        ])
    func nonsense(script: String) async throws {
        let supervisor = try supervisor(
            "dd bs=4096 count=1 >/dev/null 2>&1; \(script); sleep 60", pauses: Self.patient)
        ask(supervisor)
        #expect(await eventually { results.words == ["wifi-toggler-prober was ended by signal 9"] })
    }

    @Test("a helper that answers a question that was not asked is ended")
    func stranger() async throws {
        let supervisor = try supervisor(
            "printf 'A\\000\\000\\000\\007\\002\\000\\001w' >&0; sleep 60", pauses: Self.patient)
        ask(supervisor)
        #expect(await eventually { results.words == [Self.death] })
    }

    @Test("a helper that answers a question twice is ended, and a new helper is not started at once")
    func twice() async throws {
        let supervisor = try supervisor(
            answering(1) + "printf 'A\\000\\000\\000\\001\\002\\000\\001w' >&0; sleep 60",
            pauses: Self.patient)
        ask(supervisor)
        #expect(await eventually { results.words == ["answer: w"] })
        #expect(
            await eventually {
                // The first of these questions may still reach the helper that is about to end.
                ask(supervisor)
                return results.words.last == Self.death + "; it is not started again yet"
            })
        #expect(starts == 1)
    }

    @Test("an idle helper is dismissed, and started again for the next question")
    func idle() async throws {
        // Only the first helper answers, because the second helper's question has another number.
        let isFirst = "[ $(wc -l <\(directory.path)/starts) = 1 ]"
        let supervisor = try supervisor(
            "if \(isFirst); then \(answering(1)) fi\nwhile read line; do :; done",
            pauses: HelperSupervisor.Pauses(idle: .milliseconds(100)))
        ask(supervisor)
        #expect(await eventually { results.words == ["answer: w"] })
        let text = try String(contentsOf: directory.appendingPathComponent("starts"), encoding: .utf8)
        let process = try #require(pid_t(text.trimmingCharacters(in: .newlines)))
        #expect(await eventually { kill(process, 0) == -1 && errno == ESRCH })
        ask(supervisor)
        #expect(await eventually { starts == 2 })
        #expect(results.words.count { $0.hasPrefix("answer") } == 1)
    }

    @Test("the answer to a question that was cancelled is not delivered")
    func forgotten() async throws {
        let supervisor = try supervisor(answering(1) + answering(2) + "read line")
        supervisor.forget(ask(supervisor))
        ask(supervisor)
        #expect(await eventually { results.seen.count == 1 })
        #expect(results.words == ["answer: w"])
    }

    @Test("a missing, untrusted or unstartable helper makes the probe unknown with that reason")
    func absent() {
        let missing = HelperSupervisor(find: { () throws(HelperLocator.Absence) in
            throw .missing(["/a", "/b"])
        }
        )
        ask(missing)
        let untrusted = HelperSupervisor(find: { () throws(HelperLocator.Absence) in throw .untrusted("/a/b")
        })
        ask(untrusted)
        let unstartable = HelperSupervisor(find: { () throws(HelperLocator.Absence) in "/nonexistent/helper" }
        )
        ask(unstartable)
        #expect(
            results.words == [
                "the helper wifi-toggler-prober is not installed (looked in /a, /b)",
                "others could change /a/b or its directory, so this helper is not started",
                "/nonexistent/helper could not be started: No such file or directory",
            ])
    }

    @Test("a question that does not fit into a message is not sent")
    func long() throws {
        let supervisor = try supervisor("read line")
        let url = "http://a/" + String(repeating: "x", count: 5000)
        supervisor.ask({ request($0, url: url) }, { [results] in results.seen.append($0) })
        #expect(results.words == ["the question is too long or not valid"])
        #expect(starts == 0)
    }
}

@MainActor @Suite("Checking the helper's answers")
struct HelperProbeTests {
    private static let name = HelperRequest.Question.dns(name: "a.example", expectsPrivate: false)
    private static let page = HelperRequest.Question.http(url: "http://a.example/", .status(204))

    private func refuted(_ fault: HelperAnswer.Fault, of question: HelperRequest.Question) -> ProbeResult {
        HelperProbe.result(
            .refuted(fault, roundTrip: .milliseconds(5), detail: "x"), of: question, within: .seconds(1))
    }

    @Test("an answer is accepted only for a layer that the question is about")
    func layers() {
        let at = { (layer: Layer) in
            ProbeResult.refuted(layer: layer, roundTrip: .milliseconds(5), detail: "x")
        }
        #expect(refuted(.dns, of: Self.name) == at(.dns))
        #expect(refuted(.dns, of: Self.page) == at(.dns))
        #expect(refuted(.internet, of: Self.page) == at(.internet))
        #expect(refuted(.portal, of: Self.page) == at(.portal))
        for fault in [HelperAnswer.Fault.internet, .portal] {
            guard case .unknown = refuted(fault, of: Self.name) else {
                Issue.record("a name was judged at \(fault)")
                continue
            }
        }
    }

    @Test("a round trip longer than the time-out is cut to the time-out")
    func roundTrip() {
        let result = HelperProbe.result(
            .answered(roundTrip: .seconds(3600), detail: "x"), of: Self.name, within: .seconds(1))
        #expect(result == .answered(roundTrip: .seconds(1), detail: "x"))
    }

    @Test("a probe that the helper cannot be asked about is released once it has ended")
    func released() async {
        let missing = HelperSupervisor(find: { () throws(HelperLocator.Absence) in throw .missing(["/a"]) })
        final class Seen {
            var results: [ProbeResult] = []
            weak var pending: PendingProbe?
        }
        let seen = Seen()
        do {
            let pending = PendingProbe(timeout: .seconds(60)) { seen.results.append($0) }
            seen.pending = pending
            HelperProbe(supervisor: missing)
                .ask(name: "a.example", server: .v4(0xc000_0201), on: .loopback, pending)
        }
        #expect(await eventually { seen.pending == nil })
        guard case .unknown? = seen.results.first, seen.results.count == 1 else {
            Issue.record("\(seen.results)")
            return
        }
    }
}
