import Model
import Platform

/// Takes the locks of the interfaces that the service watches. In a dry run there are none.
final class InterfaceLocks {
    private let configuration: ServiceConfiguration
    private let interfaces: WatchedInterfaces
    private let console: Console
    private let printer: ReportPrinter
    /// Called when it is time to try again to take the locks that could not be taken.
    private let retry: () -> Void
    /// The last warnings about interfaces that are not watched because their locks could not be taken.
    private var warnings: [InterfaceIndex: String] = [:]
    private lazy var timer = TimerSource { [unowned self] in
        if !warnings.isEmpty { retry() }
    }
    /// The time until the next attempt. A link with a fault may not change for hours.
    private static let pause: Duration = .seconds(30)

    init(
        _ configuration: ServiceConfiguration, _ interfaces: WatchedInterfaces, _ console: Console,
        _ printer: ReportPrinter, retry: @escaping () -> Void
    ) {
        self.configuration = configuration
        self.interfaces = interfaces
        self.console = console
        self.printer = printer
        self.retry = retry
    }

    /// Takes the lock of an interface. Waits as long as --wait allows, and ends the process if that is not
    /// enough. Returns nil in a dry run.
    func take(_ name: String) -> InterfaceLock? {
        if configuration.isDryRun { return nil }
        let request = configuration.request
        return LockTaker(request).take(name, wait: request.wait, console)
    }

    /// Returns the lock for an interface that was renamed: the new name has a lock file of its own. If
    /// another process has that lock, this returns the old lock.
    func ofRenamed(_ watched: WatchedInterface, _ name: String) -> InterfaceLock? {
        if configuration.isDryRun { return nil }
        switch tryToTake(name) {
        case .success(let lock): return lock
        case .failure(let problem):
            printer.note(.warning, problem.description, about: name)
            return watched.lock
        }
    }

    /// Takes the lock of an interface that is to be watched, and calls `taken` with it, with nil in a dry run.
    /// If the lock cannot be taken, warns of that, and tries again later.
    func take(for link: Link, _ taken: (InterfaceLock?) -> Void) {
        if configuration.isDryRun { return taken(nil) }
        switch tryToTake(link.name) {
        case .success(let lock):
            warnings[link.index] = nil
            taken(lock)
        case .failure(let problem):
            timer.schedule(after: Self.pause)
            // Each change of the link leads to another attempt. The same warning is not repeated.
            let last = warnings.updateValue(problem.description, forKey: link.index)
            if last != problem.description {
                printer.note(.warning, problem.description, about: link.name)
            }
        }
    }

    /// Forgets interfaces that are gone.
    func keepOnly(_ isThere: (InterfaceIndex) -> Bool) { warnings = warnings.filter { isThere($0.key) } }

    /// Takes the lock, or shares it if this process has it already: an absent interface keeps the lock of its
    /// name, which another one may get meanwhile.
    private func tryToTake(_ name: String) -> Result<InterfaceLock, CommandError> {
        let own = interfaces.all.lazy.compactMap(\.lock).first { $0.interface == name }
        return own.map { .success($0) } ?? LockTaker(configuration.request).tryToTake(name, wait: .zero)
    }
}
