import Guarding
import Netlink
import Platform
import Service
import Toggling

/// The guards of this process: one for each interface in the middle of a bounce.
final class GuardKeeper {
    private let netlink: NetlinkCommands
    private let directory: String
    private let console: Console
    private let place: GuardProcess.Place
    /// The locks that a guard inherits: as long as it works nobody else may.
    private let locks: (Subject) -> [InstanceLock]
    private var guards: [Int: GuardProcess] = [:]
    /// Asked for and not dismissed since.
    private var wanted: [Int: IntentFile] = [:]
    private var dismissed: [GuardProcess] = []

    init(
        _ netlink: NetlinkCommands, directory: String, _ console: Console, _ place: GuardProcess.Place,
        locks: @escaping (Subject) -> [InstanceLock]
    ) {
        self.netlink = netlink
        self.directory = directory
        self.console = console
        self.place = place
        self.locks = locks
    }

    var environment: Environment.Guard {
        Environment.Guard(
            arm: { [unowned self] in arm($0, $1, lost: $2, $3) },
            tell: { [unowned self] in guards[$0.id]?.tell($1) },
            disarm: { [unowned self] in dismiss($0.id) })
    }

    /// Waits for the guards that were dismissed, which end at once: nothing is left behind.
    func reap() {
        for old in dismissed { old.reap() }
        dismissed = []
    }

    private func arm(
        _ subject: Subject, _ order: GuardOrder, lost: @escaping @MainActor () -> Void,
        _ done: @escaping Environment.Done<Void>
    ) {
        let record = IntentRecord(
            boot: BootIdentity.boot, namespace: BootIdentity.networkNamespace, index: subject.index,
            name: subject.name, order: order)
        let file: IntentFile
        do throws(SystemError) {
            file = try IntentFile.write(record.bytes, interface: subject.name, directory: directory)
        } catch {
            let words = "\(directory)/\(subject.name).intent: \(error.words)"
            let failure = Failure(kind: .cannotWrite, code: error.code, words: words)
            return EventLoop.soon { done(.failure(failure)) }
        }
        wanted[subject.id] = file
        // A fork keeps only the thread that called: the others must not hold anything meanwhile.
        netlink.whileIdle { [unowned self] in
            guard wanted[subject.id] === file else { return }
            fork(subject, record, file, lost: lost, done)
        }
    }

    private func fork(
        _ subject: Subject, _ record: IntentRecord, _ file: IntentFile,
        lost: @escaping @MainActor () -> Void, _ done: @escaping Environment.Done<Void>
    ) {
        do throws(SystemError) {
            guards[subject.id] = try GuardProcess(
                record, file, locks: locks(subject), place: place,
                isWatched: place == .eventLoop || record.order.hold > .zero,
                tell: { [console] in GuardVoice.tell($0, isWorkerDead: $1, subject.name, console) },
                lost: { [unowned self] in
                    guards[subject.id] = nil
                    lost()
                }, done: done)
        } catch {
            file.remove()
            done(.failure(Failure(kind: .other, code: error.code, words: "\(error.call): \(error.words)")))
        }
    }

    private func dismiss(_ id: Int) {
        let file = wanted.removeValue(forKey: id)
        guard let old = guards.removeValue(forKey: id) else { return file?.remove() ?? () }
        old.dismiss()
        if place == .callingThread { dismissed.append(old) }
    }
}

/// What a guard says, in its own process.
private enum GuardVoice {
    static func tell(_ rescue: Rescue, isWorkerDead: Bool, _ interface: String, _ console: Console) {
        // A terminal or pipe that takes nothing must not hold the guard.
        guard Output.canTake(.error) else { return }
        let finisher: Rescue.Finisher = isWorkerDead ? .guardOfTheDead : .guardOfTheLate
        for line in rescue.lines(by: finisher, interface: interface) { console.say(line) }
    }
}
