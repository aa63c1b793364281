import CLinux
import Glibc
import Model
import Platform
import Recovery
import Reporting
import Service

/// Reboots the machine as the last resort of `run`, and keeps a record of that in `/var/lib/wifi-toggler/reboots`,
/// which no reboot goes without.
final class Rebooter {
    private static let name = "reboots"
    /// From the announcement to the order: hooks tell others, and the history reaches the disk.
    private static let notice: Duration = .seconds(10)

    private let directory: TrustedDirectory
    private let file: StateFile
    private let warnOnce: WarnOnce
    private let boot = BootID.boot
    private var failedAt: Instant?
    /// The last attempt could not write.
    private var isUnwritable = false
    /// Why which link may need it.
    private var announced: (interface: String, cause: RecordedVerdict)?
    private var underWay: UnderWay?

    private struct UnderWay {
        /// Of the interface.
        let id: Int
        let before: RebootRecord
        /// The end of the notice.
        let timer: TimerSource
        /// nil: not ordered yet.
        var reboot: MachineReboot?
    }

    init(_ directory: TrustedDirectory, _ warnOnce: WarnOnce) {
        self.directory = directory
        file = StateFile(Self.name, in: directory)
        self.warnOnce = warnOnce
    }

    private var now: Instant { Instant(nanoseconds: BootClock.now()) }

    // MARK: What decides about it

    /// Read anew each time: another service may watch other links of this machine.
    var state: RebootState {
        let record = read()
        return RebootState(
            reboots: record?.reboots ?? [], failedAt: failedAt, user: LoginRecords().user(),
            isRecordable: record.map(isRecordable) ?? false)
    }

    private func isRecordable(_ record: RebootRecord) -> Bool {
        // A disk that was full is tried again.
        isUnwritable ? write(record) == nil : StateFile.problem(ofDirectory: directory.path) == nil
    }

    // MARK: The reboot

    /// One is announced for this link.
    func announce(_ interface: String, _ cause: RecordedVerdict) { announced = (interface, cause) }

    /// Reboots, after a notice. `done` is called only if that fails.
    func begin(_ interfaceRef: InterfaceRef, _ done: @escaping Environment.Done<Void>) {
        let failed = { [self] (failure: Failure) in
            failedAt = now
            done(.failure(failure))
        }
        guard underWay == nil else { return EventLoop.soon { failed(.busy) } }
        guard let boot, let announced, announced.interface == interfaceRef.name, let before = read() else {
            return EventLoop.soon { failed(.unrecorded) }
        }
        let last = RebootRecord.Last(boot: boot, interface: announced.interface, cause: announced.cause)
        if let error = write(RebootRecord(reboots: before.reboots + [now], last: last)) {
            let words = "no reboot without a record of it: \(file.path): \(error.description)"
            return EventLoop.soon { failed(Failure(kind: .other, code: error.code, description: words)) }
        }
        let timer = TimerSource { [self] in
            let reboot = MachineReboot(force: UserAccount.ofProcess == 0 ? Self.force : nil)
            underWay?.reboot = reboot
            reboot.begin { [self] failure in
                end(isBegun: failure.kind == .timedOut)
                failed(failure)
            }
        }
        timer.schedule(after: Self.notice)
        underWay = UnderWay(id: interfaceRef.id, before: before, timer: timer)
    }

    /// Lets it be. What has been ordered goes on.
    func stop(_ interfaceRef: InterfaceRef) {
        guard let underWay, underWay.id == interfaceRef.id else { return }
        underWay.reboot?.stop()
        end(isBegun: underWay.reboot != nil)
    }

    /// - Parameter isBegun: the machine may be on its way down; otherwise it does not count.
    private func end(isBegun: Bool) {
        if !isBegun, let underWay { _ = write(underWay.before) }
        underWay = nil
    }

    private static func force() -> Failure {
        sync()
        CLinux.reboot(Int32(RB_AUTOBOOT))
        let error = SystemError(call: "reboot", code: errno)
        return Failure(kind: .other, code: error.code, description: "\(error.call): \(error.description)")
    }

    // MARK: After it

    /// Why the machine was rebooted for this link; nil: it was not, or its result is told.
    func cause(of interface: String) -> RecordedVerdict? {
        guard let boot, let last = read()?.last, last.interface == interface, last.boot != boot else {
            return nil
        }
        return last.cause
    }

    /// Its result is told.
    func told() {
        guard var record = read() else { return }
        record.last = nil
        _ = write(record)
    }

    /// The service ends: what the machine has run until now counts.
    func end() {
        guard let record = read(), !record.reboots.isEmpty else { return }
        _ = write(record)
    }

    // MARK: The file

    private func read() -> RebootRecord? {
        guard let boot else { return nil }
        do throws(SystemError) {
            if let record = RebootRecord.record(try file.read(), boot: boot) { return record }
            warnOnce.make("\(file.path) is damaged: no reboot until it is removed")
        } catch {
            warnOnce.make("could not read \(file.path): \(error.description)")
        }
        return nil
    }

    /// On the disk, when this returns nil.
    private func write(_ record: RebootRecord) -> SystemError? {
        guard let boot else { return nil }
        do throws(SystemError) { try file.write(record.bytes(boot: boot, now: now)) } catch {
            isUnwritable = true
            return error
        }
        isUnwritable = false
        return nil
    }
}

extension Failure {
    fileprivate static let unrecorded = Failure(
        kind: .unavailable, description: "no reboot without a record of it")
    fileprivate static let busy = Failure(kind: .busy, description: "another reboot is announced")
}
