import CLinux
import Glibc
import Netlink
import Platform
import Toggling

/// The guard's own process: gets ready for what it may have to do, and takes the record of the bounce (`Vigil`).
struct Sentinel {
    let index: InterfaceIndex
    let channel: Int32
    let file: IntentFile
    let locks: [InstanceLock]
    /// Tells how a rescue ended. The worker may be hung, not dead.
    let tell: (Rescue, _ isWorkerDead: Bool) -> Void

    /// To be called in the copy of the worker that is to be the guard.
    func stand() -> Never {
        let kept = [STDERR_FILENO, channel, file.descriptor] + locks.map(\.descriptor)
        ForkedProcess.detach(named: "wt-guard", keeping: kept)
        ForkedProcess.askToBeSpared()
        Capabilities.keepNetworkAdministrationAlone()
        let kernel = open()
        GuardChannel.say(GuardChannel.Answer.ready.rawValue, on: channel)
        // Without a record nothing was begun.
        guard let record = takeRecord() else { _exit(EXIT_SUCCESS) }
        var vigil = Vigil(record: record, channel: channel, file: file, locks: locks, tell: tell)
        vigil.keep(kernel)
    }

    /// Whoever guards an interface has seen it.
    private func open() -> NetlinkSession {
        do throws(Failure) {
            var kernel = try NetlinkSession()
            _ = try kernel.link(index)
            return kernel
        } catch {
            if error.kind == .noSuchDevice { tellOfAbsence() }
            _exit(EXIT_FAILURE)
        }
    }

    /// Should the worker die now, with its record written: there is nothing to raise any more.
    private func tellOfAbsence() {
        GuardChannel.say(GuardChannel.Answer.gone.rawValue, on: channel)
        guard takeRecord() != nil else { return }
        while GuardChannel.hear(channel) != nil {}
        file.remove()
    }

    private func takeRecord() -> IntentRecord? {
        guard GuardChannel.hear(channel) == GuardChannel.Word.order.rawValue else { return nil }
        return GuardChannel.takeRecord(from: channel).flatMap { IntentRecord($0) }
    }
}
