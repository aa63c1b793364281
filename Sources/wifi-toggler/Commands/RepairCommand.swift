import Glibc
import Guarding
import Invocation
import Model
import Platform
import Reporting

/// Finishes interrupted bounces: the command `repair`, and the first step of every other command for the
/// interface that it is about to act on.
struct RepairCommand {
    private let request: Request
    private let console: Console
    private let repair: Repair
    private let addressOwner: LockTaker

    /// - Parameter directory: the directory of records; nil: it is looked up for each.
    init(_ request: Request, _ console: Console, in directory: TrustedDirectory? = nil) {
        self.request = request
        self.console = console
        repair = Repair(
            in: directory ?? TrustedDirectory(request.runDirectory),
            isDryRun: request.settings(for: "", file: nil).isDryRun)
        addressOwner = LockTaker(request, in: directory)
    }

    /// `repair`: finishes the bounces of all records that match the named interfaces. Ends the process; the
    /// worst status counts.
    func start() -> Never {
        var worst = ExitStatus.healthy
        for name in names() {
            if let status = finishOne(name), worst == .healthy { worst = status }
        }
        exit(worst.rawValue)
    }

    /// Before a bounce, or a service's first check, with the lock taken: finishes what was left half done.
    func finishFirst(_ interface: String) {
        guard repair.isNeeded(interface) else { return }
        _ = finish(interface)
    }

    private func names() -> [String] {
        do {
            let names = try repair.interfaces()
            guard !request.interfaces.isEmpty else { return names }
            return names.filter { name in request.interfaces.contains { $0.matches(name) } }
        } catch {
            console.fail(
                "\(request.runDirectory): \(error.description) (give another with --run-dir)", .cannotWrite)
        }
    }

    /// nil: success.
    private func finishOne(_ name: String) -> ExitStatus? {
        // A process that has the lock carries out a bounce, or is a guard that finishes one.
        switch addressOwner.tryToTake(name, wait: request.wait) {
        case .failure(let problem):
            console.say(Line(.error, problem.sentence), about: name)
            return problem.status
        case .success(let lock): return withExtendedLifetime(lock) { finish(name) }
        }
    }

    private func finish(_ name: String) -> ExitStatus? {
        do throws(SystemError) {
            return tell(try repair.finish(name), name)
        } catch {
            let path = "\(request.runDirectory)/\(name).intent"
            let sentence = "\(path): \(error.description): the record of a bounce cannot be read"
            console.say(Line(.error, sentence), about: name)
            return .cannotWrite
        }
    }

    private func tell(_ finding: Repair.Finding, _ file: String) -> ExitStatus? {
        switch finding {
        case .nothing: return nil
        case .stale:
            say(
                Line(.notice, "\(file): a record of an earlier boot, or an unfinished one: thrown away"), file
            )
            return nil
        case .elsewhere:
            say(Line(.warning, "\(file): a bounce was left half done in another network namespace"), file)
            return nil
        case .unfinished(let name, let isHeld):
            let what = isHeld ? "the link would be raised" : "what is missing would be put back"
            say(Line(.notice, "\(name): a bounce was left half done: \(what) (dry run)"), name)
            return nil
        case .rescued(let name, let finishedBounce):
            for line in finishedBounce.lines(by: .repair, interface: name) { say(line, name) }
            if request.output.isJSON, request.command == .repair {
                console.result(finishedBounce.json(interface: name, time: WallClock.rfc3339()))
            }
            return Self.status(finishedBounce)
        }
    }

    private func say(_ line: Line, _ interface: String) {
        guard request.output.verbosity != .quiet || line.level <= .error else { return }
        console.say(line, about: interface)
    }

    private static func status(_ finishedBounce: FinishedBounce) -> ExitStatus? {
        switch finishedBounce {
        case .gone, .leftDown: nil
        case .notRaised(let failure): ExitStatus(failure)
        case .finished(_, let restoration): restoration.refused.isEmpty ? nil : .sick
        }
    }
}
