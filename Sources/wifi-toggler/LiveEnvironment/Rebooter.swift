import CLinux
import Glibc
import Model
import Platform
import Recovery
import Reporting
import Service

/// Reboots the machine as the last resort of the command `run`. Records each reboot in the file `reboots` of
/// the state directory; without a record there is no reboot.
final class Rebooter {
    private static let name = "reboots"
    /// The time between the announcement and the reboot. Meanwhile hooks can inform others, and the history
    /// is written to the disk.
    private static let notice: Duration = .seconds(10)

    private let directory: TrustedDirectory
    private let file: StateFile
    private let warnOnce: WarnOnce
    private let boot = BootID.boot
    private var failedAt: Instant?
    /// Whether the last attempt to write the record has failed.
    private var isUnwritable = false
    /// Whether the record was read, which happens only if this run may use the method `reboot`.
    private var isNeeded = false
    /// The interface for which a reboot was announced, and the verdict that caused it.
    private var announced: (interface: String, cause: RecordedVerdict)?
    private var underWay: UnderWay?

    private struct UnderWay {
        /// The ID of the interface.
        let id: Int
        let before: RebootRecord
        /// The timer for the end of the notice.
        let timer: TimerSource
        /// The reboot; nil during the notice.
        var reboot: MachineReboot?
    }

    init(_ directory: TrustedDirectory, _ warnOnce: WarnOnce) {
        self.directory = directory
        file = Self.file(in: directory)
        self.warnOnce = warnOnce
    }

    // MARK: State

    /// The state that decides about a reboot because of this interface. It is read again each time, because
    /// another service may watch other links of this machine.
    /// - Parameter names: the interfaces that have a default route.
    func state(for interface: String, defaultRoutesOver names: [String]) -> RebootState {
        let record = read()
        return RebootState(
            reboots: record?.reboots ?? [], failedAt: failedAt, user: LoginRecords().user(),
            isRecordable: record.map(isRecordable) ?? false,
            otherUplink: Uplinks().other(than: interface, among: names))
    }

    private func isRecordable(_ record: RebootRecord) -> Bool {
        if StateFile.isVolatile(directory.path) { return false }
        // If the last write has failed, the disk may have been full. Try again.
        return isUnwritable ? write(record) == nil : StateFile.problem(ofDirectory: directory.path) == nil
    }

    // MARK: The reboot

    /// Notes that a reboot is announced for a link, and why.
    func announce(_ interface: String, _ cause: RecordedVerdict) { announced = (interface, cause) }

    /// Notes that the machine may not be rebooted for this link, so that this is not tried again soon.
    func refused() { failedAt = .now }

    /// Reboots the machine after the notice. `done` is called only if that fails.
    func begin(_ interfaceRef: InterfaceRef, _ done: @escaping Environment.Done<Void>) {
        let failed = { [self] (failure: Failure) in
            failedAt = .now
            done(.failure(failure))
        }
        guard underWay == nil else { return EventLoop.soon { failed(.announced) } }
        guard let boot, let announced, announced.interface == interfaceRef.name, let before = read() else {
            return EventLoop.soon { failed(.unrecorded) }
        }
        let last = RebootRecord.Last(boot: boot, interface: announced.interface, cause: announced.cause)
        if let error = write(RebootRecord(reboots: before.reboots + [.now], last: last)) {
            return EventLoop.soon { [path = file.path] in failed(.unrecordable(path, error)) }
        }
        let timer = TimerSource { [self] in
            let reboot = MachineReboot(force: UserAccount.ofProcess == 0 ? Self.force : nil)
            underWay?.reboot = reboot
            reboot.begin { [self] failure in
                end(isBegun: failure.mayHaveBegun)
                failed(failure)
            }
        }
        timer.schedule(after: Self.notice)
        underWay = UnderWay(id: interfaceRef.id, before: before, timer: timer)
    }

    /// Cancels the reboot if it was not ordered yet. A reboot that was already ordered continues.
    func stop(_ interfaceRef: InterfaceRef) {
        guard let underWay, underWay.id == interfaceRef.id else { return }
        underWay.reboot?.stop()
        end(isBegun: underWay.reboot?.isOrdered ?? false)
    }

    /// - Parameter isBegun: whether the machine may be going down. If not, the record of the reboot is
    ///   removed.
    private func end(isBegun: Bool) {
        if !isBegun, let underWay { _ = write(underWay.before) }
        underWay = nil
    }

    private static func force() -> Failure {
        CLinux.reboot(Int32(RB_AUTOBOOT))
        let error = SystemError(call: "reboot", code: errno)
        return Failure(kind: .other, code: error.code, description: "\(error.call): \(error.description)")
    }

    // MARK: After the reboot

    /// Why the machine was rebooted for a link; nil if it was not, or if the result was reported already.
    func cause(of interface: String) -> RecordedVerdict? {
        guard let boot, let last = read()?.last, last.interface == interface, last.boot != boot else {
            return nil
        }
        return last.cause
    }

    /// Notes that the result of the reboot was reported.
    func told() {
        guard var record = read() else { return }
        record.last = nil
        _ = write(record)
    }

    /// Updates the record when the service ends, so that the time for which the machine has run counts.
    func end() {
        guard isNeeded, let record = read(), !record.reboots.isEmpty else { return }
        _ = write(record)
    }

    // MARK: The file

    /// The file of the record in a state directory.
    static func file(in directory: TrustedDirectory) -> StateFile { StateFile(name, in: directory) }

    private func read() -> RebootRecord? {
        isNeeded = true
        guard let boot else { return nil }
        do throws(SystemError) {
            if let record = RebootRecord.record(try file.read(), boot: boot) { return record }
            warnOnce.make(
                "\(file.path) is damaged: no reboot until it is removed (run 'sudo rm \(file.path)')")
        } catch {
            warnOnce.make(
                "could not read \(file.path): \(error.description): no reboot until it can be read"
                    + " (\(RebootProblem.remedy(ofUnreadable: file.path)))")
        }
        return nil
    }

    /// Writes the record. Returns the error; nil if the record was written, or if the boot ID is unknown.
    private func write(_ record: RebootRecord) -> SystemError? {
        guard let boot else { return nil }
        do throws(SystemError) { try file.write(record.bytes(boot: boot, now: .now)) } catch {
            isUnwritable = true
            return error
        }
        isUnwritable = false
        return nil
    }
}
