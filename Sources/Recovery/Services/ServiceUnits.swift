import Model
import Platform

/// Units of systemd, by systemctl(1).
@MainActor struct ServiceUnits {
    /// A unit's ActiveState (org.freedesktop.systemd1), as far as it matters here.
    enum State: String { case active, failed }

    /// How long systemd may take to report states.
    static let queryTimeout: Duration = .seconds(5)
    /// How long a restart may take. A manager that is asked to end may take seconds to let its links go.
    static let restartTimeout: Duration = .seconds(30)

    private static let program = "systemctl"
    /// A service has no terminal for a password.
    private static let noPassword = "--no-ask-password"

    private let directories: [String]

    init(directories: [String]) { self.directories = directories }

    /// Which of the units are active or have failed. Empty if systemd does not answer.
    func states(of units: [String], _ done: @escaping @MainActor ([String: State]) -> Void) {
        let arguments = ["show", "--property=Id,ActiveState", "--"] + units
        run(arguments, within: Self.queryTimeout) { outcome in
            guard case .answered(let answer) = outcome else { return done([:]) }
            done(Self.states(from: answer, of: units))
        }
    }

    /// - Parameters:
    ///   - kills: SIGKILL goes first, because a process that hangs does not end when it is asked to.
    ///   - done: called once, never inside this call. `timedOut` and `lost`: it may have begun.
    func restart(_ unit: String, kills: Bool, _ done: @escaping @MainActor (Result<Void, Failure>) -> Void) {
        let restart = {
            run([Self.noPassword, "restart", "--", unit], within: Self.restartTimeout) { outcome in
                switch outcome {
                case .answered: done(.success(()))
                case .ended(_, let failure), .notRun(let failure): done(.failure(failure))
                }
            }
        }
        guard kills else { return restart() }
        // If it cannot be killed, a restart ends it after the unit's TimeoutStopSec=.
        run([Self.noPassword, "kill", "--signal=SIGKILL", "--", unit], within: Self.queryTimeout) { _ in
            restart()
        }
    }

    private func run(
        _ arguments: [String], within timeout: Duration,
        _ done: @escaping @MainActor (OwnerCommand.Outcome) -> Void
    ) {
        let command = OwnerCommand(program: Self.program, arguments: arguments, timeout: timeout)
        do throws(Failure) { _ = try command.start(in: directories, done) } catch {
            EventLoop.soon { done(.notRun(error)) }
        }
    }

    /// - Parameter answer: a paragraph for each unit, with a line `NAME=VALUE` for each property.
    static func states(from answer: [UInt8], of units: [String]) -> [String: State] {
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
