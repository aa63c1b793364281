import Model
import Platform

/// Starts the units that reset devices (``ResetUnit``), and waits for their end.
@MainActor final class ResetUnitRunner {
    typealias Done = @MainActor (Result<Void, Failure>) -> Void

    /// How long systemctl may take: longer than the unit (TimeoutStartSec= and TimeoutStopSec=).
    private static let timeout: Duration = .seconds(180)
    /// How long it may take until the device is away. A busy machine may need seconds to start the unit.
    private static let awayTimeout: Duration = .seconds(40)
    private static let checkAgain: Duration = .milliseconds(50)

    /// A unit that was started.
    private final class Run {
        /// How systemctl has ended; nil: not yet.
        var result: Result<Void, Failure>?
        var timer: TimerSource?
        /// Called when the device is away, or when that has failed.
        var away: Done?
        /// Called when the unit has ended.
        var ended: Done?
    }

    private let directories: [String]
    /// The last unit of each interface.
    private var runs: [String: Run] = [:]

    init(directories: [String] = OwnerCommand.directories) { self.directories = directories }

    /// Starts the unit, and waits until the device is away.
    /// - Parameter done: called once, never inside this call. Fails with `unavailable` if the unit was not
    ///   started, or failed before it did anything; with `timedOut` or `lost` if it may still begin.
    func start(_ unit: ResetUnit, _ index: InterfaceIndex, _ done: @escaping Done) {
        let run = Run()
        runs[unit.interface] = run
        run.away = done
        // The unit stays active after its process has ended, so that systemd goes on counting its starts.
        // Therefore `start` would do nothing, and `restart` is used.
        let command = OwnerCommand(
            program: "systemctl", arguments: ["--no-ask-password", "restart", "--", unit.name],
            timeout: Self.timeout)
        let process = command.run(in: directories) { outcome in
            if case .notRun = outcome { return Self.ended(run, outcome, hasBegun: false) }
            Self.ended(run, outcome, hasBegun: unit.hasBegun(since: index.rawValue))
        }
        if process == nil { return }
        let deadline = BootClock.now() + Self.awayTimeout.nanoseconds
        let timer = TimerSource {
            if unit.hasBegun(since: index.rawValue) { return Self.isAway(run, .success(())) }
            if BootClock.now() > deadline { return Self.isAway(run, .failure(.late)) }
            run.timer?.schedule(after: Self.checkAgain)
        }
        run.timer = timer
        timer.schedule(after: Self.checkAgain)
    }

    /// Waits until the unit has ended, if this object has started it.
    /// - Parameter done: called once, never inside this call.
    func awaitEnd(of unit: ResetUnit, _ done: @escaping Done) {
        guard let run = runs[unit.interface] else { return EventLoop.soon { done(.success(())) } }
        guard let result = run.result else {
            run.ended = done
            return
        }
        // A unit that may still begin is awaited again at the next attempt.
        if !result.isUnknown { runs[unit.interface] = nil }
        EventLoop.soon { done(result) }
    }

    private static func isAway(_ run: Run, _ result: Result<Void, Failure>) {
        run.timer?.cancel()
        run.timer = nil
        let away = run.away
        run.away = nil
        away?(result)
    }

    private static func ended(_ run: Run, _ outcome: OwnerCommand.Outcome, hasBegun: Bool) {
        let result: Result<Void, Failure> =
            switch outcome {
            case .answered: .success(())
            case .ended(status: nil, let failure): .failure(failure)
            case .ended(_, let failure), .notRun(let failure):
                .failure(
                    hasBegun ? failure : Failure(kind: .unavailable, description: failure.description))
            }
        run.result = result
        isAway(run, hasBegun ? .success(()) : result)
        let ended = run.ended
        run.ended = nil
        ended?(result)
    }
}
