import Guarding
import Invocation
import Model
import Platform
import Reporting

/// Finishes interrupted bounces. This is the command `repair`, and the first step of every other command that
/// acts on an interface.
struct RepairCommand {
    private let request: Request
    private let console: Console
    private let repair: Repair
    private let locks: LockTaker

    /// - Parameters:
    ///   - file: the configuration file, which may allow interfaces that are not Wi-Fi.
    ///   - directory: the directory of the records; nil if it is to be opened for each record.
    init(
        _ request: Request, _ console: Console, _ file: ConfigurationFile?,
        in directory: TrustedDirectory? = nil
    ) {
        self.request = request
        self.console = console
        repair = Repair(
            in: directory ?? TrustedDirectory(request.runDirectory),
            isDryRun: request.settings(for: "", file: nil).isDryRun,
            mayRaise: { link in
                OwnerLookup.isWireless(link.name)
                    || request.settings(for: link, file: file).allowsAnyInterface
            })
        locks = LockTaker(request, in: directory)
    }

    /// Finishes the bounces of all records that match the named interfaces. Ends the process with the first
    /// status that is not success.
    func start() -> Never {
        var worst = ExitStatus.healthy
        for name in names() {
            if let status = finishOne(name), worst == .healthy { worst = status }
        }
        console.end(worst)
    }

    /// Finishes an interrupted bounce of an interface before a new bounce, or before the first check of a
    /// service. The caller must have taken the lock.
    func finishFirst(_ interface: String) {
        guard repair.isNeeded(interface) else { return }
        _ = finish(interface)
    }

    /// Whether an earlier run has left an unfinished bounce.
    func isNeeded(_ interface: String) -> Bool { repair.isNeeded(interface) }

    /// As ``finishFirst(_:)``, but without blocking the event loop.
    /// - Parameters:
    ///   - last: the finding of the attempt before; nil: this is the first attempt. It is reported only once.
    ///   - done: called once, never inside this call, with the finding; nil: there is none.
    func finishFirst(
        _ interface: String, after last: Repair.Finding?,
        then done: @escaping @MainActor (Repair.Finding?) -> Void
    ) {
        let repair = repair
        BlockingWork.perform(within: Self.timeout) {
            Result { () throws(SystemError) in try repair.finish(interface) }
        } _: {
            var finding: Repair.Finding?
            switch $0 {
            case .success(let result):
                finding = try? result.get()
                if last == nil || finding != last { _ = tell(result, interface) }
            case .failure(.noThread(let error)): _ = tell(.failure(error), interface)
            case .failure(.late): break
            }
            done(finding)
        }
    }

    /// A time limit that is longer than any repair.
    private static let timeout: Duration = .seconds(120)

    private func names() -> [String] {
        do {
            let names = try repair.interfaces()
            guard !request.interfaces.isEmpty else { return names }
            return names.filter { name in request.interfaces.contains { $0.matches(name) } }
        } catch {
            let reason = LockTaker.reason(error, request.runDirectory, request.runDirectory)
            console.fail("\(reason) (give another with --run-dir)", .cannotWrite)
        }
    }

    /// Finishes the bounce of one record. Returns nil on success.
    private func finishOne(_ name: String) -> ExitStatus? {
        // A process that has the lock is responsible for the record: a service, a command, or a guard.
        switch locks.tryToTake(name, wait: request.wait) {
        case .failure(let problem):
            console.say(Line(.error, problem.description), about: name)
            return problem.status
        case .success(let lock): return withExtendedLifetime(lock) { finish(name) }
        }
    }

    private func finish(_ name: String) -> ExitStatus? {
        tell(Result { () throws(SystemError) in try repair.finish(name) }, name)
    }

    private func tell(_ result: Result<Repair.Finding, SystemError>, _ name: String) -> ExitStatus? {
        switch result {
        case .success(let finding): return tell(finding, name)
        case .failure(let error):
            let path = "\(request.runDirectory)/\(name).intent"
            let sentence =
                "\(path): \(error.description): the record of a bounce cannot be read or trusted (if the link is"
                + " down, set it up; then remove the file)"
            console.say(Line(.error, sentence), about: name)
            return .cannotWrite
        }
    }

    private func tell(_ finding: Repair.Finding, _ file: String) -> ExitStatus? {
        switch finding {
        case .nothing: return nil
        case .stale:
            console.note(
                .notice, "\(file): the record of a bounce is unfinished or from an earlier boot: deleted",
                about: file)
            return nil
        case .elsewhere:
            console.note(
                .warning,
                "\(file): a bounce was not finished in another network namespace (run"
                    + " 'sudo wifi-toggler repair' there)", about: file)
            return nil
        case .misnamed(let name):
            let escaped = Output.escaped(name)
            console.note(
                .warning, "\(file): this is the record of another interface, \(escaped): deleted",
                about: file)
            return nil
        case .notPermitted:
            let words =
                "\(file): a bounce was not finished, or its record is forged; this is not a Wi-Fi"
                + " interface (use --any-interface if it is meant)"
            console.note(.error, words, about: file)
            return .unavailable
        case .unfinished(let name, let isKeptDown):
            let what = isKeptDown ? "the link would be raised" : "what is missing would be restored"
            console.note(.notice, "\(name): a bounce was not finished: \(what) (dry run)", about: name)
            return nil
        case .repaired(let name, let finishedBounce, let isBelieved):
            for line in finishedBounce.lines(by: .repair, interface: name) {
                console.note(line.level, line.text, about: name)
            }
            if !isBelieved, finishedBounce.restoration?.lost.isEmpty == false {
                let text =
                    "the record may be forged, because root did not write it: nothing from it is restored"
                console.note(.warning, "\(name): \(text)", about: name)
            }
            if request.output.isJSON, request.command == .repair {
                console.result(finishedBounce.json(interface: name, time: WallClock.rfc3339()))
            }
            return Self.status(finishedBounce)
        }
    }

    private static func status(_ finishedBounce: FinishedBounce) -> ExitStatus? {
        switch finishedBounce {
        case .gone, .leftDown: nil
        case .notRaised(let failure): ExitStatus(failure)
        case .finished(_, let restoration): restoration.refused.isEmpty ? nil : .sick
        }
    }
}
