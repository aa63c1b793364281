import CLinux
import Glibc
import Model
import Netlink
import Platform

/// The main program of the guard's process: prepares, receives the record of the bounce, and starts the
/// `GuardLoop`.
struct GuardMain {
    let index: InterfaceIndex
    let channel: Int32
    let file: IntentFile
    let locks: [InterfaceLock]
    /// Called with the result of finishing the bounce. `isWorkerDead` is false if the worker is alive, but
    /// late.
    let tell: (FinishedBounce, _ isWorkerDead: Bool) -> Void

    /// The record, inherited by fork(2); nil if the worker sends it before the bounce begins.
    let record: IntentRecord?

    /// Runs the guard. Call it in the forked copy of the worker. If the guard cannot get ready, its exit status
    /// is the error number (errno(3)) of what failed; 0 if there is none.
    func run() -> Never {
        let kept = [STDERR_FILENO, channel, file.descriptor, file.recordDescriptor] + locks.map(\.descriptor)
        ForkedProcess.askToBeSpared()
        ForkedProcess.detach(named: "wt-guard", keeping: kept)
        let kernel = open()
        // Without a record, no bounce has begun.
        guard var record = record ?? receiveRecord() else { _exit(0) }
        // Open the files of a radio switch, a driver or a bus now, while this process still has root's
        // rights.
        record.undo = record.undo.opened
        file.keepReach()
        Capabilities.keepNetworkAdministrationAlone()
        do { try send(.ready) } catch { _exit(error.code) }
        var guardLoop = GuardLoop(record: record, channel: channel, file: file, locks: locks, tell: tell)
        guardLoop.run(kernel)
    }

    /// Opens the netlink socket and reads the interface once, so that the guard is ready only if this works.
    private func open() -> NetlinkSession {
        do throws(Failure) {
            var kernel = try NetlinkSession()
            // A reset may bring back an interface that its device has lost.
            if record?.undo.isOfLoss != true { _ = try kernel.link(index) }
            return kernel
        } catch {
            if error.kind == .noSuchDevice { try? send(.gone) }
            _exit(error.code)
        }
    }

    private func send(_ answer: GuardChannel.Answer) throws(SystemError) {
        try GuardChannel.sendByte(answer.rawValue, on: channel)
    }

    private func receiveRecord() -> IntentRecord? {
        do { return try GuardChannel.receiveOrder(from: channel).flatMap { IntentRecord($0) } } catch {
            _exit(error.code)
        }
    }
}
