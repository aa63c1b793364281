import Glibc
import Model
import Platform

/// Reboots the machine (``Method/reboot``). Asks systemd-logind (org.freedesktop.login1(5)), which asks
/// polkit. If logind is missing or does not answer, or if the machine does not go down after its answer,
/// reboots by force, if this process may do that.
@MainActor public final class MachineReboot {
    /// How long logind may take to answer. After its answer, the machine may take as long again to go down.
    public static let timeout: Duration = .seconds(180)

    /// How long a forced reboot waits for the disks.
    public static let syncTimeout: Duration = .seconds(30)

    static let program = "busctl"
    private static let name = "org.freedesktop.login1"
    private static let object = "/org/freedesktop/login1"
    private static let manager = "org.freedesktop.login1.Manager"
    /// The property that lists what programs inhibit, as words separated by colons.
    private static let inhibited = "BlockInhibited"
    private static let shutdown = "shutdown"
    /// The arguments of busctl(1) by which logind is asked what is inhibited.
    static let inhibitorsQuery = ["get-property", name, object, manager, inhibited]

    private let directories: [String]
    private let timeout: Duration
    private let syncTimeout: Duration
    private let sync: @Sendable () -> Void
    private let force: (@MainActor () -> Failure)?
    private var child: ChildProcess?
    private var timer: TimerSource?
    private var done: (@MainActor (Failure) -> Void)?
    /// Whether the reboot was ordered, so that the machine may be going down. Before, logind was only
    /// queried.
    public private(set) var isOrdered = false

    /// - Parameters:
    ///   - syncTimeout: how long `sync` may take before the machine is rebooted all the same.
    ///   - sync: writes all files to the disks, before a forced reboot. It may block.
    ///   - force: reboots at once, and returns only if that fails; nil if this process must not reboot by
    ///     force.
    public init(
        directories: [String] = OwnerCommand.directories, timeout: Duration = timeout,
        syncTimeout: Duration = syncTimeout, sync: @escaping @Sendable () -> Void = { Glibc.sync() },
        force: (@MainActor () -> Failure)?
    ) {
        self.directories = directories
        self.timeout = timeout
        self.syncTimeout = syncTimeout
        self.sync = sync
        self.force = force
    }

    /// Starts the reboot.
    /// - Parameter done: called only if the machine does not go down: once, never inside this call.
    ///   `timedOut` and `lost` mean that it may still go down; any other kind means that nothing was started.
    public func begin(_ done: @escaping @MainActor (Failure) -> Void) {
        self.done = done
        // For root, logind's `Reboot` ignores inhibitors, so check them before.
        run(Self.inhibitorsQuery) { [self] outcome in
            switch outcome {
            case .answered(let answer): Self.inhibits(answer) ? end(.inhibited) : order()
            case .ended(_, var failure), .notRun(var failure):
                // This was only a query, so nothing was started, however it ended.
                if failure.mayHaveBegun { failure.kind = .other }
                goByForce(failure)
            }
        }
    }

    /// Stops. `done` is not called any more. A reboot that logind has started continues.
    public func stop() {
        done = nil
        child?.cancel()
        (child, timer) = (nil, nil)
    }

    private func order() {
        isOrdered = true
        // The argument `false` says that nobody can be asked for a password.
        run(["call", Self.name, Self.object, Self.manager, "Reboot", "b", "false"]) { [self] outcome in
            switch outcome {
            case .answered: awaitEnd()
            case .ended(_, let failure) where failure.kind == .timedOut: goByForce(failure)
            // logind has refused: another user is logged in, for example, or polkit does not allow it.
            case .ended(_, let failure), .notRun(let failure): end(failure)
            }
        }
    }

    private func awaitEnd() {
        let timer = TimerSource { [self] in goByForce(.stillUp) }
        timer.schedule(after: timeout)
        self.timer = timer
    }

    /// - Parameter failure: the failure of logind.
    private func goByForce(_ failure: Failure) {
        guard let force else { return end(failure) }
        // If the sick link leads to a file server, sync(2) may block for ever, so its result does not matter.
        BlockingWork.perform(on: "disks", within: syncTimeout, sync) { [self] _ in
            guard done != nil else { return }
            isOrdered = true
            var refusal = force()
            if failure.kind == .timedOut { refusal.kind = .timedOut }
            end(refusal)
        }
    }

    private func end(_ failure: Failure) {
        let done = done
        stop()
        done?(failure)
    }

    private func run(_ arguments: [String], _ then: @escaping @MainActor (OwnerCommand.Outcome) -> Void) {
        // busctl's own time-out must be longer than this program's: at its own time-out, busctl ends with a
        // message, as it does after a refusal.
        let timeoutOption = "--timeout=\(timeout.components.seconds + 60)"
        let command = OwnerCommand(
            program: Self.program, arguments: ["--system", timeoutOption] + arguments, timeout: timeout)
        child = command.run(in: directories) { [self] in if done != nil { then($0) } }
    }

    /// Whether programs inhibit shutdown.
    /// - Parameter answer: the output of busctl, such as `s "shutdown:idle"`.
    static func inhibits(_ answer: [UInt8]) -> Bool {
        let quotes = [UInt8(ascii: "\""), UInt8(ascii: ":"), UInt8(ascii: " "), UInt8(ascii: "\n")]
        return answer.split { quotes.contains($0) }.contains { $0.elementsEqual(shutdown.utf8) }
    }
}

extension Failure {
    static let inhibited = Failure(
        kind: .busy, description: "a program inhibits shutdown (run 'systemd-inhibit --list')")
    static let stillUp = Failure(
        kind: .timedOut, description: "systemd-logind accepted the reboot, but the machine did not go down")
    public static let announced = Failure(
        kind: .busy, description: "the program is already about to reboot because of another link")
    public static let unrecorded = Failure(
        kind: .unavailable,
        description:
            "no reboot, because the record of reboots cannot be read (run 'sudo wifi-toggler doctor')")

    /// - Parameter path: the file of the record.
    public static func unrecordable(_ path: String, _ error: SystemError) -> Failure {
        Failure(
            kind: .other, code: error.code,
            description: "the reboot cannot be recorded: \(path): \(error.description)"
                + " (give another directory with --state-dir)")
    }
}
