import Glibc
import Model
import Platform

/// The services of this machine, by its service manager.
@MainActor struct ServiceUnits {
    /// A service's state, as far as it matters here; the raw value is ActiveState of org.freedesktop.systemd1.
    enum State: String { case active, failed }

    /// How long the service manager may take to report a state.
    static let queryTimeout: Duration = .seconds(5)
    /// How long a restart may take. A manager that is asked to end may take seconds to let its links go.
    static let restartTimeout: Duration = .seconds(30)

    private let manager: ServiceManager
    private let directories: [String]
    private let scripts: String

    /// - Parameters:
    ///   - directories: of its programs.
    ///   - scripts: the directory of the services' own scripts.
    init(_ manager: ServiceManager, directories: [String], scripts: String) {
        self.manager = manager
        self.directories = directories
        self.scripts = scripts
    }

    /// The services that run an owner of an interface, the one for this interface alone first.
    func services(of owner: Owner, for interface: String) -> [String] {
        manager.services(of: owner, for: interface)
    }

    /// Which of the services are active or have failed. Those that do not exist are neither; none is if the service
    /// manager does not answer.
    func states(of services: [String], _ done: @escaping @MainActor ([String: State]) -> Void) {
        states(of: services[...], [:], done)
    }

    /// One service after the other.
    private func states(
        of services: ArraySlice<String>, _ states: [String: State],
        _ done: @escaping @MainActor ([String: State]) -> Void
    ) {
        guard let service = services.first else { return done(states) }
        run(manager.query(service), within: Self.queryTimeout) { [manager] outcome in
            var states = states
            switch outcome {
            case .answered(let answer):
                states[service] = manager.state(of: service, from: answer, status: 0)
            case .ended(let status?, _):
                states[service] = manager.state(of: service, from: [], status: status)
            // No other service would be reported either.
            case .ended(nil, _): return done(states)
            case .notRun: break
            }
            self.states(of: services.dropFirst(), states, done)
        }
    }

    /// - Parameters:
    ///   - kills: SIGKILL goes first, where the service manager can send it.
    ///   - done: called once, never inside this call. `timedOut` and `lost`: it may have begun.
    func restart(_ service: String, kills: Bool, _ done: @escaping @MainActor (Result<Void, Failure>) -> Void)
    {
        if manager.isForRootAlone, geteuid() != 0 {
            return EventLoop.soon { [manager] in done(.failure(.needsRoot(manager))) }
        }
        run(manager.restart(service, kills: kills)[...], done)
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
        do throws(Failure) { _ = try run.start(in: command.isScript ? [scripts] : directories, done) } catch {
            EventLoop.soon { done(.notRun(error)) }
        }
    }

    /// - Parameter answer: a paragraph for each unit, with a line `NAME=VALUE` for each property.
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
    fileprivate static func needsRoot(_ manager: ServiceManager) -> Failure {
        Failure(kind: .unavailable, description: "only root may restart a service by \(manager.rawValue)")
    }
}
