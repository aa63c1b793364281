import HelperProtocol
import Model
import Platform

/// Supervises the helper, which parses what strangers send: starts it with the first question, dismisses it
/// when there was none for a while, and restarts it after a pause if it died.
///
/// Whenever it ends, its open questions are *unknown*: its end says nothing about a link.
@MainActor final class HelperSupervisor {
    typealias Done = @MainActor (Result<HelperAnswer.Outcome, Failure>) -> Void

    /// Pauses, which tests shorten.
    struct Pauses {
        /// Beyond the time limit of a question, within which it answers each: later it is killed.
        var grace: Duration = .seconds(1)
        /// From the last question until it is dismissed.
        var idle: Duration = .seconds(180)
        /// After it died; doubled each time, until it has answered.
        var first: Duration = .seconds(1)
        var longest: Duration = .seconds(300)

        /// - Parameter deaths: before this one, since it answered last.
        func pause(after deaths: Int) -> Duration {
            min(longest, first * (1 << min(deaths, Self.mostDoublings)))
        }

        private static let mostDoublings = 20
    }

    static let name = "wifi-toggler-prober"

    private let find: @MainActor () throws(HelperLocator.Absence) -> String
    private let pauses: Pauses
    private var helperProcess: HelperProcess?
    /// Those whose answer is wanted.
    private var waiting: [UInt32: Done] = [:]
    /// When each question must be answered, also one whose answer is not wanted any more.
    private var deadlines: [UInt32: Instant] = [:]
    private var hangTimer: TimerSource?
    private var lastID: UInt32 = 0
    private var idleTimer: TimerSource?
    /// How often it died since it answered last.
    private var deaths = 0
    private var notBefore: Instant?
    /// How the last one died.
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

    /// Asks a question; `make` puts the number into the request. `done` runs once, possibly inside this call,
    /// and not after ``forget(_:)``.
    /// - Returns: the number.
    @discardableResult
    func ask(_ make: (UInt32) -> HelperRequest, _ done: @escaping Done) -> UInt32 {
        lastID &+= 1
        let request = make(lastID)
        let bytes = request.bytes
        guard HelperRequest(bytes) == request else {
            done(.failure(Failure(kind: .other, description: "the question is none that can be asked")))
            return lastID
        }
        do throws(Failure) {
            let helperProcess = try running()
            do throws(SystemError) { try helperProcess.send(bytes) } catch { throw Failure(error) }
            waiting[lastID] = done
            idleTimer?.cancel()
            deadlines[lastID] = now + request.timeout + pauses.grace
            watchForHang()
        } catch {
            done(.failure(error))
        }
        return lastID
    }

    /// The answer is not wanted any more.
    func forget(_ id: UInt32) { waiting[id] = nil }

    // MARK: Hangs

    private func watchForHang() {
        guard let next = deadlines.values.min() else { return hangTimer?.cancel() ?? () }
        let timer = hangTimer ?? TimerSource { [weak self] in self?.checkForHang() }
        hangTimer = timer
        timer.schedule(atBootNanoseconds: next.nanoseconds)
    }

    /// Kills a helper that has left a question unanswered.
    private func checkForHang() {
        let now = now
        guard let next = deadlines.values.min(), next <= now else { return watchForHang() }
        if next + pauses.grace < now {
            // The machine slept meanwhile, and so did the helper.
            for id in deadlines.keys { deadlines[id] = max(deadlines[id]!, now + pauses.grace) }
            return watchForHang()
        }
        helperProcess?.kill()
    }

    // MARK: The process

    private func running() throws(Failure) -> HelperProcess {
        if let helperProcess { return helperProcess }
        if let notBefore, now < notBefore {
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

    /// Accepts answers to its open questions, and kills it for any other message.
    private func received(_ message: [UInt8]) {
        guard let answer = HelperAnswer(message) else {
            helperProcess?.kill()
            return
        }
        // A forgotten question is answered all the same.
        guard deadlines.removeValue(forKey: answer.id) != nil else { return }
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
        notBefore = now + pauses.pause(after: deaths)
        deaths += 1
    }

    /// Without open questions the idle time starts.
    private func rest() {
        guard deadlines.isEmpty, helperProcess != nil else { return }
        let timer = idleTimer ?? TimerSource { [weak self] in self?.dismiss() }
        idleTimer = timer
        timer.schedule(atBootNanoseconds: (now + pauses.idle).nanoseconds)
    }

    private func dismiss() {
        helperProcess?.dismiss()
        helperProcess = nil
    }

    private var now: Instant { Instant(nanoseconds: BootClock.now()) }

    // MARK: Texts

    private static func description(_ ending: ChildProcess.Ending) -> String {
        switch ending {
        case .exited(status: Exit.stillPrivileged): "\(name) could not give up its privileges, and ended"
        case .exited(let status): "\(name) ended with status \(status)"
        case .killed(let signal): "\(name) was ended by signal \(signal)"
        case .timedOut: "\(name) was too slow"
        case .notStarted(let error), .lost(let error): "\(name) ended: \(error.description)"
        }
    }

    /// Exit statuses of sysexits(3), as the helper uses them.
    private enum Exit { static let stillPrivileged: Int32 = 77 }

    private static func failure(_ absence: HelperLocator.Absence) -> Failure {
        switch absence {
        case .missing(let directories):
            Failure(
                kind: .other,
                description:
                    "the helper \(name) is not installed (looked in \(directories.joined(separator: ", ")))")
        case .untrusted(let path):
            Failure(
                kind: .notPermitted,
                description: "\(path) or its folder could be changed by others; it is not started")
        }
    }
}
