import Glibc
import Invocation
import Platform

/// Takes the locks of interfaces, and says who holds one that cannot be had.
struct LockKeeper {
    private let folder: Folder
    private let label: String

    /// - Parameter folder: the directory of locks; nil: it is looked up for each.
    init(_ request: Request, in folder: Folder? = nil) {
        self.folder = folder ?? Folder(request.runDirectory)
        label = "\(Console.program) \(request.command.rawValue)"
    }

    /// Takes the lock or ends the process.
    func take(_ interface: String, wait: Duration, _ console: Console) -> InstanceLock {
        switch tryToTake(interface, wait: wait) {
        case .success(let lock): return lock
        case .failure(let problem): console.fail(problem.sentence, problem.status)
        }
    }

    /// Blocks for `wait` at most.
    func tryToTake(_ interface: String, wait: Duration) -> Result<InstanceLock, InterfaceSearch.Problem> {
        do throws(InstanceLock.LockError) {
            return .success(
                try InstanceLock.acquire(
                    interface: interface, folder: folder, label: label, wait: wait))
        } catch {
            return .failure(Self.problem(error, interface))
        }
    }

    private static func problem(
        _ error: InstanceLock.LockError, _ interface: String
    ) -> InterfaceSearch.Problem {
        switch error {
        case .held(let holder):
            InterfaceSearch.Problem(
                sentence: "\(interface): held by \(holder ?? "another run") (wait longer with --wait)",
                status: .heldByOther)
        case .cannotWrite(let error, let path):
            InterfaceSearch.Problem(
                sentence: "\(interface): \(path): \(error.words) (give another directory with --run-dir)",
                status: .cannotWrite)
        }
    }
}
