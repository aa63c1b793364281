import Glibc
import Model
import Platform

/// Queries and restarts services through the machine's service manager.
@MainActor struct ServiceUnits {
    /// The state of a service. The raw values are values of ActiveState in org.freedesktop.systemd1(5).
    enum State: String { case active, failed }

    /// How long the service manager may take to report a state.
    static let queryTimeout: Duration = .seconds(5)
    /// How long a restart may take. A network manager may take seconds to release its links when it ends.
    static let restartTimeout: Duration = .seconds(30)

    private let manager: ServiceManager
    private let directories: [String]
    private let scripts: String

    /// - Parameters:
    ///   - directories: where to look for the programs of the service manager.
    ///   - scripts: the directory of the services' own scripts.
    init(_ manager: ServiceManager, directories: [String], scripts: String) {
        self.manager = manager
        self.directories = directories
        self.scripts = scripts
    }

    /// The names of the services that run an owner of an interface. A service for this interface alone comes
    /// first.
    func services(of owner: Owner, for interface: String) -> [String] {
        manager.services(of: owner, for: interface)
    }

    /// Whether a service runs its program for this interface alone. Without systemd, the name of such a
    /// service ends with the name of the interface (``Owner/services(for:)``).
    func isOfOneInterface(_ service: String, _ interface: String) -> Bool {
        guard manager != .systemd else { return Owner.isOfOneInterface(unit: service) }
        return [".", "-"].contains { service.hasSuffix($0 + interface) }
    }

    /// Finds out which services are active or have failed. All others, and services that do not exist, are
    /// missing in the result. If the service manager does not answer, those not reported before are missing.
    func states(of services: [String], _ done: @escaping @MainActor ([String: State]) -> Void) {
        ask(manager.queries(of: services)[...], [:], done)
    }

    private func ask(
        _ queries: ArraySlice<(services: [String], command: ServiceManager.Command)>,
        _ states: [String: State], _ done: @escaping @MainActor ([String: State]) -> Void
    ) {
        guard let query = queries.first else { return done(states) }
        run(query.command, within: Self.queryTimeout) { [manager] outcome in
            let new: [String: State]
            switch outcome {
            case .answered(let answer):
                new = manager.states(of: query.services, from: answer, status: 0)
            case .ended(let status?, _): new = manager.states(of: query.services, from: [], status: status)
            // The service manager does not answer, so the other services would not be reported either.
            case .ended(nil, _): return done(states)
            case .notRun: new = [:]
            }
            ask(queries.dropFirst(), states.merging(new) { $1 }, done)
        }
    }

    /// Restarts a service.
    /// - Parameters:
    ///   - kind: what is wrong with the owner in this service; nil: nothing is known to be wrong.
    ///   - done: called once, never inside this call. `timedOut` and `lost` mean that the restart may have
    ///     started.
    func restart(
        _ service: String, of kind: OwnerCondition.Kind?,
        _ done: @escaping @MainActor (Result<Void, Failure>) -> Void
    ) {
        if manager.isForRootAlone, geteuid() != 0 {
            return EventLoop.soon { [manager] in done(.failure(.needsRoot(manager))) }
        }
        run(manager.restart(service, of: kind)[...], done)
    }

    private func run(
        _ commands: ArraySlice<ServiceManager.Command>,
        _ done: @escaping @MainActor (Result<Void, Failure>) -> Void
    ) {
        guard let command = commands.first else { return }
        let isLast = commands.count == 1
        run(command, within: isLast ? Self.restartTimeout : Self.queryTimeout) { outcome in
            guard isLast else { return run(commands.dropFirst(), done) }
            switch outcome {
            case .answered: done(.success(()))
            case .ended(_, let failure), .notRun(let failure): done(.failure(failure))
            }
        }
    }

    private func run(
        _ command: ServiceManager.Command, within timeout: Duration,
        _ done: @escaping @MainActor (OwnerCommand.Outcome) -> Void
    ) {
        let run = OwnerCommand(program: command.program, arguments: command.arguments, timeout: timeout)
        run.run(in: command.isScript ? [scripts] : directories, done)
    }

    /// - Parameter answer: the output of `systemctl show`: a paragraph for each unit, with a line
    ///   `NAME=VALUE` for each property.
    nonisolated static func states(from answer: [UInt8], of units: [String]) -> [String: State] {
        var states: [String: State] = [:]
        var unit: String?
        var state: State?
        for line in answer.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) + [[]] {
            guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else {
                if let unit, let state, units.contains(unit) { states[unit] = state }
                (unit, state) = (nil, nil)
                continue
            }
            let value = String(validating: line[(equals + 1)...], as: UTF8.self)
            switch String(validating: line[..<equals], as: UTF8.self) {
            case "Id": unit = value
            case "ActiveState": state = value.flatMap(State.init)
            default: break
            }
        }
        return states
    }
}

extension Failure {
    static func needsRoot(_ manager: ServiceManager) -> Failure {
        Failure(kind: .unavailable, description: "only root may restart a service by \(manager.rawValue)")
    }
}
