import Guarding
import Netlink
import Platform
import Service
import Toggling

/// The guards of this process: one for each interface in the middle of a bounce.
final class GuardKeeper {
    private let netlink: NetlinkCommands
    private let folder: Folder
    private let console: Console
    private let place: GuardProcess.Place
    /// The locks that a guard inherits: as long as it works nobody else may.
    private let locks: (Subject) -> [InstanceLock]
    private let methods: MethodKeeper
    private var guards: [Int: GuardProcess] = [:]
    private var prepared: Prepared?
    /// Asked for and not dismissed since; the number tells one time from the next.
    private var wanted: [Int: Int] = [:]
    private var arming = 0
    private var dismissed: [GuardProcess] = []

    init(
        _ netlink: NetlinkCommands, _ methods: MethodKeeper, in folder: Folder, _ console: Console,
        _ place: GuardProcess.Place, locks: @escaping (Subject) -> [InstanceLock]
    ) {
        self.netlink = netlink
        self.methods = methods
        self.folder = folder
        self.console = console
        self.place = place
        self.locks = locks
    }

    var environment: Environment.Guard {
        Environment.Guard(
            arm: { [unowned self] in armWhileIdle($0, $1, lost: $2, $3) },
            tell: { [unowned self] in guards[$0.id]?.tell($1) },
            disarm: { [unowned self] in dismiss($0.id) })
    }

    /// A guard that stands before it is asked for, for what it inherited.
    private struct Prepared {
        let guardian: GuardProcess
        let subject: Subject
        let locks: Int
    }

    /// For a mission that ends in a bounce: lets a guard get ready while the kernel is asked what there is to
    /// lose, and goes on with `then`. Where none can be made, that is told when it is needed.
    func prepare(_ subject: Subject, then: @escaping @MainActor () -> Void) {
        netlink.whileIdle { [unowned self] in
            if let guardian = try? makeGuard(subject, nil) {
                prepared = Prepared(guardian: guardian, subject: subject, locks: locks(subject).count)
            }
            then()
        }
    }

    /// The one that was prepared, unless it is dead, or the interface was renamed since: its lock would be
    /// missing.
    private func takePrepared(_ subject: Subject, _ record: [UInt8]) -> GuardProcess? {
        guard let found = prepared else { return nil }
        prepared = nil
        let isFit = found.subject.name == subject.name && found.locks == locks(subject).count
        if isFit, found.guardian.give(record) { return found.guardian }
        dismiss(found.guardian)
        return nil
    }

    /// Dismisses the guard that nobody needed, and waits for all that were dismissed, which end at once: nothing
    /// is left behind.
    func reap() {
        if let prepared { dismiss(prepared.guardian) }
        prepared = nil
        for old in dismissed { old.reap() }
        dismissed = []
    }

    private func armWhileIdle(
        _ subject: Subject, _ order: GuardOrder, lost: @escaping @MainActor () -> Void,
        _ done: @escaping Environment.Done<Void>
    ) {
        arming += 1
        let turn = arming
        wanted[subject.id] = turn
        // A fork keeps only the thread that called: the others must not hold anything meanwhile.
        whileIdle { [unowned self] in
            guard wanted[subject.id] == turn else { return }
            do throws(Failure) {
                try arm(subject, order, lost: lost, done)
            } catch {
                dismiss(subject.id)
                done(.failure(error))
            }
        }
    }

    private func whileIdle(_ body: @escaping @MainActor () -> Void) {
        guard BlockingWork.isUnderWay else { return netlink.whileIdle(body) }
        BlockingWork.afterwards { [unowned self] in whileIdle(body) }
    }

    private func arm(
        _ subject: Subject, _ order: GuardOrder, lost: @escaping @MainActor () -> Void,
        _ done: @escaping Environment.Done<Void>
    ) throws(Failure) {
        let record = IntentRecord(
            boot: BootIdentity.boot, namespace: BootIdentity.networkNamespace, index: subject.index,
            name: subject.name, order: order, means: try methods.means(for: subject, order.method))
        let bytes = record.bytes
        let guardian =
            if let found = takePrepared(subject, bytes) { found } else {
                try makeGuard(subject, record)
            }
        guards[subject.id] = guardian
        do throws(SystemError) {
            try guardian.await(
                place, isWatched: place == .eventLoop || order.hold > .zero, lost: lost,
                done: { [unowned self] in done(stands(subject, bytes, $0)) })
        } catch {
            throw Self.failure(error)
        }
    }

    /// The guard first, the record second: whatever dies in between, nothing is left behind.
    private func stands(
        _ subject: Subject, _ record: [UInt8], _ answer: Result<Void, Failure>
    ) -> Result<Void, Failure> {
        guard case .success = answer, let guardian = guards[subject.id] else { return answer }
        do throws(SystemError) { try guardian.write(record) } catch {
            dismiss(subject.id)
            return .failure(unwritable(subject, error))
        }
        return answer
    }

    private func makeGuard(_ subject: Subject, _ record: IntentRecord?) throws(Failure) -> GuardProcess {
        let file: IntentFile
        do throws(SystemError) {
            file = try IntentFile(interface: subject.name, in: folder)
        } catch {
            throw unwritable(subject, error)
        }
        do throws(SystemError) {
            return try GuardProcess(
                subject.index, record, file, locks: locks(subject),
                tell: { [console] in GuardVoice.tell($0, isWorkerDead: $1, subject.name, console) })
        } catch {
            throw Self.failure(error)
        }
    }

    private func unwritable(_ subject: Subject, _ error: SystemError) -> Failure {
        let words = "\(folder.path)/\(subject.name).intent: \(error.words)"
        return Failure(kind: .cannotWrite, code: error.code, words: words)
    }

    private static func failure(_ error: SystemError) -> Failure {
        Failure(kind: .other, code: error.code, words: "\(error.call): \(error.words)")
    }

    private func dismiss(_ id: Int) {
        wanted[id] = nil
        if let old = guards.removeValue(forKey: id) { dismiss(old) }
    }

    private func dismiss(_ old: GuardProcess) {
        old.dismiss()
        if place == .callingThread { dismissed.append(old) } else { old.reapLater() }
    }
}

/// What a guard says, in its own process.
private enum GuardVoice {
    static func tell(_ rescue: Rescue, isWorkerDead: Bool, _ interface: String, _ console: Console) {
        // A terminal or pipe that takes nothing must not hold the guard.
        guard Output.canTake(.error) else { return }
        let finisher: Rescue.Finisher = isWorkerDead ? .guardOfTheDead : .guardOfTheLate
        for line in rescue.lines(by: finisher, interface: interface) {
            console.atEnd.say(line, about: interface)
        }
    }
}
