import Model
import Platform

/// Runs the administrator's programs that check a link. Exit status 0 means healthy, 1 sick, and anything
/// else unknown. The programs run without privileges (``SandboxedProgram``), and only if no other user can
/// have written them (``TrustedProgram``).
@MainActor final class CommandProbes {
    /// The name of the user as whom the programs run.
    var user = CommandIdentity.usualUser
    /// The directories in which the programs must not change anything, as absolute paths. File permissions
    /// alone protect them if the programs run as another user than this process.
    var protected: [String] = []
    /// The programs that have not ended yet. They may ignore SIGTERM.
    private var running: Set<Run> = []

    private struct Run: Hashable {
        var index: InterfaceIndex
        var path: String
    }

    func start(_ path: String, on device: Device, _ pending: PendingProbe) {
        let run = Run(index: device.index, path: path)
        guard !running.contains(run) else { return pending.end(Self.busy) }
        let identity: CommandIdentity
        do {
            identity = try .of(user)
        } catch {
            return pending.end(Self.notRun(error.description))
        }
        if let problem = TrustedProgram.problem(of: path, owners: identity.owners) {
            return pending.end(Self.notRun(problem.description))
        }
        let program = SandboxedProgram(
            path, environment: CommandEnvironment.about(device.name), account: identity.account,
            protected: identity.account == nil ? protected : [])
        pending.timeIsOver = { pending.end(Self.tookTooLong) }
        do {
            let child = try ChildProcess.start(
                program, timeout: pending.remaining, outputLimit: Self.outputLimit,
                gone: { [weak self] _ in _ = self?.running.remove(run) },
                completion: { pending.end(Self.result(of: $0, $1, after: pending.elapsed)) })
            running.insert(run)
            pending.atEnd { child.cancel() }
        } catch {
            pending.end(Self.unknown(.other, "could not be run: \(error.description)"))
        }
    }

    /// The most bytes of output that are read. Only the first line is shown.
    private static let outputLimit = 4096

    nonisolated static func result(
        of ending: ChildProcess.Ending, _ output: [UInt8], after duration: Duration
    ) -> ProbeResult {
        let line = CommandOutput.firstLine(of: output)
        switch ending {
        case .exited(status: 0): return .answered(roundTrip: duration, detail: line ?? "exit status 0")
        case .exited(status: 1):
            return .refuted(layer: .internet, roundTrip: duration, detail: line ?? "exit status 1")
        case .exited(let status):
            return unknown(.other, "ended with status \(status)" + (line.map { ": \($0)" } ?? ""))
        case .killed(let signal): return unknown(.other, "ended by signal \(signal)")
        case .timedOut: return tookTooLong
        case .notStarted(let error):
            return unknown(.other, "could not be run: \(error.call): \(error.description)")
        case .lost(let error):
            return unknown(.lost, "its result is not known: \(error.call): \(error.description)")
        }
    }

    nonisolated static let busy = unknown(.busy, "not run: its last run has not ended")
    nonisolated private static let tookTooLong = unknown(.timedOut, "did not end in time")

    nonisolated static func notRun(_ why: String) -> ProbeResult { unknown(.other, "not run: \(why)") }

    nonisolated private static func unknown(_ kind: Failure.Kind, _ description: String) -> ProbeResult {
        .unknown(Failure(kind: kind, description: description))
    }
}
