import Glibc
import Invocation
import Platform

/// Takes the locks of interfaces, and reports which process has a lock.
struct LockTaker {
    private let directory: TrustedDirectory
    private let label: String

    /// - Parameter directory: the directory of the locks; nil if it is to be opened for each lock.
    init(_ request: Request, in directory: TrustedDirectory? = nil) {
        self.directory = directory ?? TrustedDirectory(request.runDirectory)
        label = "\(Console.program) \(request.command.rawValue)"
    }

    /// Takes the lock, or ends the process.
    func take(_ interface: String, wait: Duration, _ console: Console) -> InterfaceLock {
        switch tryToTake(interface, wait: wait) {
        case .success(let lock): return lock
        case .failure(let problem): console.fail(problem.description, problem.status)
        }
    }

    /// Takes the lock. Blocks for at most `wait`.
    func tryToTake(_ interface: String, wait: Duration) -> Result<InterfaceLock, CommandError> {
        do throws(InterfaceLock.LockError) {
            return .success(
                try InterfaceLock.acquire(
                    interface: interface, directory: directory, label: label, wait: wait))
        } catch {
            return .failure(problem(error, interface))
        }
    }

    /// Why a file of the run directory cannot be used, as a clause: what is wrong with the directory, or else
    /// the error at the path.
    static func reason(_ error: SystemError, _ path: String, _ directory: String) -> String {
        StateFile.problem(ofDirectory: directory) ?? "\(path): \(error.description)"
    }

    /// - Parameter holder: the content of the lock's file, "label pid"; nil: it is not known.
    private static func description(lockedBy holder: String?) -> String {
        guard let holder, let space = holder.lastIndex(of: " ") else {
            return "locked by another program (wait longer with --wait)"
        }
        let label = holder[..<space]
        // A service has the lock until it ends, so it does not help to wait.
        let isService = label == "\(Console.program) \(Command.run.rawValue)"
        return "locked by '\(label)', process \(holder[holder.index(after: space)...])"
            + (isService ? " (stop this service first)" : " (wait longer with --wait)")
    }

    private func problem(
        _ error: InterfaceLock.LockError, _ interface: String
    ) -> CommandError {
        switch error {
        case .held(let holder):
            CommandError(
                description: "\(interface): \(Self.description(lockedBy: holder))", status: .heldByOther)
        case .cannotWrite(let error, let path):
            CommandError(
                description: "\(interface): \(Self.reason(error, path, directory.path))"
                    + " (give another directory with --run-dir)",
                status: .cannotWrite)
        }
    }
}
