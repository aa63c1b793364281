import CLinux
import Glibc
import Model
import Netlink
import Platform

/// The guard's own process: prepares for its work, and receives the record of the bounce (`GuardLoop`).
struct GuardMain {
    let index: InterfaceIndex
    let channel: Int32
    let file: IntentFile
    let locks: [InterfaceLock]
    /// Reports how finishing the bounce ended. The worker may be hung, not dead.
    let tell: (FinishedBounce, _ isWorkerDead: Bool) -> Void

    /// The record, inherited by fork; nil: it is sent when the bounce is about to begin.
    let record: IntentRecord?

    /// Call it in the copy of the worker that becomes the guard.
    func stand() -> Never {
        let kept = [STDERR_FILENO, channel, file.descriptor, file.recordDescriptor] + locks.map(\.descriptor)
        ForkedProcess.askToBeSpared()
        ForkedProcess.detach(named: "wt-guard", keeping: kept)
        let kernel = open()
        // Without a record no bounce has begun.
        guard var record = record ?? takeRecord() else { _exit(EXIT_SUCCESS) }
        // A switch, a driver and a device on its bus are set by files of root's.
        record.undo = record.undo.opened
        file.keepReach()
        Capabilities.keepNetworkAdministrationAlone()
        say(.ready)
        var guardLoop = GuardLoop(record: record, channel: channel, file: file, locks: locks, tell: tell)
        guardLoop.keep(kernel)
    }

    /// Reads the interface once, so that the guard is ready only if that works.
    private func open() -> NetlinkSession {
        do throws(Failure) {
            var kernel = try NetlinkSession()
            _ = try kernel.link(index)
            return kernel
        } catch {
            if error.kind == .noSuchDevice { say(.gone) }
            _exit(EXIT_FAILURE)
        }
    }

    private func say(_ answer: GuardChannel.Answer) { GuardChannel.say(answer.rawValue, on: channel) }

    private func takeRecord() -> IntentRecord? {
        GuardChannel.takeOrder(from: channel).flatMap { IntentRecord($0) }
    }
}
