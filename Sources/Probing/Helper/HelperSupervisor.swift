import Glibc
import HelperProtocol
import Model
import Platform

/// Supervises the helper process, which parses data from the network. Starts the helper when a question needs
/// it, and ends it after a time without questions. If the helper has died, a pause must pass before a
/// question starts it again.
///
/// When the helper ends, the result of every open question is *unknown*, because the end of the helper says
/// nothing about a link.
@MainActor final class HelperSupervisor {
    typealias Done = @MainActor (Result<HelperAnswer.Outcome, Failure>) -> Void

    /// The times that the supervisor waits. Tests shorten them.
    struct Pauses {
        /// After the time limit of a question, the helper gets this time to answer. Then it is killed.
        var grace: Duration = .seconds(1)
        /// The helper is ended if there was no question for this time.
        var idle: Duration = .seconds(180)
        /// The pause after the helper has died. It doubles with each death, up to `longest`, until the helper
        /// answers.
        var first: Duration = .seconds(1)
        var longest: Duration = .seconds(300)

        /// - Parameter deaths: how often the helper has died since its last answer, not counting this death.
        func pause(after deaths: Int) -> Duration {
            min(longest, first * (1 << min(deaths, Self.mostDoublings)))
        }

        private static let mostDoublings = 20
    }

    static let name = "wifi-toggler-prober"

    private let find: @MainActor () throws(HelperLocator.Absence) -> String
    private let pauses: Pauses
    private var helperProcess: HelperProcess?
    /// The questions whose answers the callers still want.
    private var waiting: [UInt32: Done] = [:]
    /// The time by which the helper must answer each question, including those that the caller has given up.
    private var deadlines: [UInt32: Instant] = [:]
    private var hangTimer: TimerSource?
    private var lastID: UInt32 = 0
    private var idleTimer: TimerSource?
    /// How often the helper has died, or could not be started, since its last answer.
    private var deaths = 0
    private var notBefore: Instant?
    /// How the helper ended last, or why it could not be started.
    private var lastWords = ""

    init(
        pauses: Pauses = Pauses(),
        find: @escaping @MainActor () throws(HelperLocator.Absence) -> String = {
            () throws(HelperLocator.Absence) in try HelperLocator.find(HelperSupervisor.name)
        }
    ) {
        self.pauses = pauses
        self.find = find
    }

    isolated deinit { helperProcess?.dismiss() }

    /// Sends a question to the helper. `make` creates the request for a number. `done` runs once, possibly
    /// inside this call, but not after ``forget(_:)``.
    /// - Returns: the number of the question.
    @discardableResult
    func ask(_ make: (UInt32) -> HelperRequest, _ done: @escaping Done) -> UInt32 {
        lastID &+= 1
        let request = make(lastID)
        let bytes = request.bytes
        guard HelperRequest(bytes) == request else {
            done(.failure(Failure(kind: .other, description: "the question is too long or not valid")))
            return lastID
        }
        do throws(Failure) {
            let helperProcess = try running()
            do throws(SystemError) { try helperProcess.send(bytes) } catch {
                // A helper that has closed its end is ending. How it ends is the answer to the question.
                guard [EPIPE, ECONNRESET].contains(error.code) else { throw Failure(error) }
            }
            waiting[lastID] = done
            idleTimer?.cancel()
            deadlines[lastID] = Instant.now + request.timeout + pauses.grace
            watchForHang()
        } catch {
            done(.failure(error))
        }
        return lastID
    }

    /// Drops a question: its `done` does not run any more.
    func forget(_ id: UInt32) { waiting[id] = nil }

    // MARK: Hangs

    private func watchForHang() {
        guard let next = deadlines.values.min() else { return hangTimer?.cancel() ?? () }
        let timer = hangTimer ?? TimerSource { [weak self] in self?.checkForHang() }
        hangTimer = timer
        timer.schedule(at: next)
    }

    /// Kills the helper if it has left a question unanswered for too long.
    private func checkForHang() {
        let now = Instant.now
        guard let next = deadlines.values.min(), next <= now else { return watchForHang() }
        if next + pauses.grace < now {
            // The machine was suspended, and the helper with it. Give it more time.
            for id in deadlines.keys { deadlines[id] = max(deadlines[id]!, now + pauses.grace) }
            return watchForHang()
        }
        helperProcess?.kill()
    }

    // MARK: The process

    private func running() throws(Failure) -> HelperProcess {
        if let helperProcess { return helperProcess }
        if let notBefore, .now < notBefore {
            throw Failure(kind: .lost, description: "\(lastWords); it is not started again yet")
        }
        let path: String
        do throws(HelperLocator.Absence) { path = try find() } catch { throw Self.failure(error) }
        do throws(SystemError) {
            let fresh = try HelperProcess.start(
                path, longest: HelperAnswer.longest, received: { [weak self] in self?.received($0) },
                ended: { [weak self] in self?.ended($0) })
            helperProcess = fresh
            return fresh
        } catch {
            pause("\(path) could not be started: \(error.description)")
            throw Failure(kind: .other, code: error.code, description: lastWords)
        }
    }

    /// Accepts the first answer to a question, even if the caller has dropped the question. Kills the helper
    /// after any other message.
    private func received(_ message: [UInt8]) {
        guard let answer = HelperAnswer(message), deadlines.removeValue(forKey: answer.id) != nil else {
            helperProcess?.kill()
            return
        }
        deaths = 0
        watchForHang()
        rest()
        waiting.removeValue(forKey: answer.id)?(.success(answer.outcome))
    }

    private func ended(_ ending: ChildProcess.Ending) {
        helperProcess = nil
        idleTimer?.cancel()
        hangTimer?.cancel()
        deadlines = [:]
        pause(Self.description(ending))
        let failure = Failure(kind: .lost, description: lastWords)
        let waiting = waiting.sorted { $0.key < $1.key }
        self.waiting = [:]
        for (_, done) in waiting { done(.failure(failure)) }
    }

    private func pause(_ description: String) {
        lastWords = description
        notBefore = Instant.now + pauses.pause(after: deaths)
        deaths += 1
    }

    /// Starts the idle time if there is no open question.
    private func rest() {
        guard deadlines.isEmpty, helperProcess != nil else { return }
        let timer = idleTimer ?? TimerSource { [weak self] in self?.dismiss() }
        idleTimer = timer
        timer.schedule(after: pauses.idle)
    }

    private func dismiss() {
        helperProcess?.dismiss()
        helperProcess = nil
    }

    // MARK: Texts

    static func description(_ ending: ChildProcess.Ending) -> String {
        switch ending {
        case .exited(status: Exit.stillPrivileged): "\(name) could not give up its privileges, and ended"
        case .exited(let status): "\(name) ended with status \(status)"
        case .killed(let signal): "\(name) was ended by signal \(signal)"
        case .timedOut: "\(name) was too slow"
        case .notStarted(let error), .lost(let error): "\(name) ended: \(error.description)"
        }
    }

    /// Exit statuses of the helper (sysexits(3)).
    private enum Exit { static let stillPrivileged: Int32 = 77 }

    static func failure(_ absence: HelperLocator.Absence) -> Failure {
        switch absence {
        case .missing(let directories):
            Failure(
                kind: .other,
                description:
                    "the helper \(name) is not installed (looked in \(directories.joined(separator: ", ")))")
        case .untrusted(let path):
            Failure(
                kind: .notPermitted,
                description: "others could change \(path) or its directory, so this helper is not started")
        case .unreadable(let path, let error):
            Failure(kind: .other, code: error.code, description: "\(path): \(error.description)")
        }
    }
}
