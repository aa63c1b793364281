import Guarding
import Model
import Netlink
import Platform
import Reporting
import Service

/// The guards of this process: one for each interface with a bounce under way, and two while one guard takes the
/// place of the other.
final class GuardPool {
    private let netlink: NetlinkCommands
    private let directory: TrustedDirectory
    private let console: Console
    private let place: GuardHandle.Place
    /// The locks of an interface, which its guard inherits. No other process may act as long as the guard
    /// works.
    private let locks: (InterfaceRef) -> [InterfaceLock]
    private let methods: RecoveryMethods
    private var guards: [Int: GuardHandle] = [:]
    /// The guards that stay until the guard of the next method in the same bounce is ready.
    private var earlier: [Int: GuardHandle] = [:]
    private var prepared: Prepared?
    /// The number of the last order to arm a guard, by the ID of the interface. Each order has another
    /// number.
    private var wanted: [Int: Int] = [:]
    private var arming = 0
    private var dismissed: [GuardHandle] = []

    init(
        _ netlink: NetlinkCommands, _ methods: RecoveryMethods, in directory: TrustedDirectory,
        _ console: Console,
        _ place: GuardHandle.Place, locks: @escaping (InterfaceRef) -> [InterfaceLock]
    ) {
        self.netlink = netlink
        self.methods = methods
        self.directory = directory
        self.console = console
        self.place = place
        self.locks = locks
    }

    var environment: Environment.Guard {
        Environment.Guard(
            arm: { [unowned self] in armWhileIdle($0, $1, lost: $2, $3) },
            tell: { [unowned self] in
                // The bounce did not wait for the new guard: dismiss it, and tell the earlier one.
                if earlier[$0.id] != nil { giveUp($0.id) }
                wanted[$0.id] = nil
                guards[$0.id]?.tell($1)
            },
            disarm: { [unowned self] in dismiss($0.id) })
    }

    /// A guard that was created in advance, and the state that it has inherited.
    private struct Prepared {
        let guardian: GuardHandle
        let interfaceRef: InterfaceRef
        let locks: Int
    }

    /// Creates a guard in advance, for a run that ends in a bounce, and then calls `then`. The guard gets
    /// ready while this process takes the snapshot. A failure is reported later, when the guard is needed.
    func prepare(_ interfaceRef: InterfaceRef, then: @escaping @MainActor () -> Void) {
        netlink.whileIdle { [unowned self] in
            if let guardian = try? makeGuard(interfaceRef, nil) {
                prepared = Prepared(
                    guardian: guardian, interfaceRef: interfaceRef, locks: locks(interfaceRef).count)
            }
            then()
        }
    }

    /// Returns the prepared guard; nil if there is none, if it is dead, or if it lacks a lock because the
    /// interface was renamed.
    private func takePrepared(_ interfaceRef: InterfaceRef, _ record: [UInt8]) -> GuardHandle? {
        guard let found = prepared else { return nil }
        prepared = nil
        let isFit = found.interfaceRef.name == interfaceRef.name && found.locks == locks(interfaceRef).count
        if isFit, found.guardian.send(record) { return found.guardian }
        dismiss(found.guardian)
        return nil
    }

    /// Dismisses a prepared guard that was not used, and waits until all dismissed guards have exited, so
    /// that no process remains.
    func reap() {
        if let prepared { dismiss(prepared.guardian) }
        prepared = nil
        for old in dismissed { old.reap() }
        dismissed = []
    }

    private func armWhileIdle(
        _ interfaceRef: InterfaceRef, _ order: GuardOrder, lost: @escaping @MainActor () -> Void,
        _ done: @escaping Environment.Done<Void>
    ) {
        arming += 1
        let turn = arming
        wanted[interfaceRef.id] = turn
        // The copy that fork(2) makes has only the calling thread. So during the fork no other thread may be
        // inside the Swift runtime, whose locks nobody could unlock in the copy (``ForkedProcess``).
        netlink.whileIdle { [unowned self] in
            guard wanted[interfaceRef.id] == turn else { return }
            if earlier[interfaceRef.id] != nil { giveUp(interfaceRef.id) }
            earlier[interfaceRef.id] = guards.removeValue(forKey: interfaceRef.id)
            do throws(Failure) {
                try arm(interfaceRef, order, lost: lost, done)
            } catch {
                giveUp(interfaceRef.id)
                done(.failure(error))
            }
        }
    }

    private func arm(
        _ interfaceRef: InterfaceRef, _ order: GuardOrder, lost: @escaping @MainActor () -> Void,
        _ done: @escaping Environment.Done<Void>
    ) throws(Failure) {
        let record = IntentRecord(
            boot: BootID.boot, namespace: BootID.networkNamespace, index: interfaceRef.index,
            name: interfaceRef.name, order: order, undo: try methods.undo(for: interfaceRef, order.method))
        let (bytes, isPublic) = (record.bytes, record.undo.isOfUnit)
        let guardian =
            if let found = takePrepared(interfaceRef, bytes) { found } else {
                try makeGuard(interfaceRef, record)
            }
        guards[interfaceRef.id] = guardian
        do throws(SystemError) {
            try guardian.await(
                place, isWatched: place == .eventLoop || order.downTime > .zero, lost: lost,
                done: { [unowned self] in done(writeRecord(interfaceRef, bytes, isPublic, $0)) })
        } catch {
            throw Self.failure(error)
        }
    }

    /// Writes the record once the guard is ready. If the record were written earlier, and this process died
    /// before the guard is ready, the record would remain.
    private func writeRecord(
        _ interfaceRef: InterfaceRef, _ record: [UInt8], _ isPublic: Bool, _ answer: Result<Void, Failure>
    ) -> Result<Void, Failure> {
        let id = interfaceRef.id
        guard case .success = answer, let guardian = guards[id] else {
            giveUp(id)
            return answer
        }
        do throws(SystemError) {
            if let old = earlier[id] {
                try guardian.replace(old, record, isPublic: isPublic)
                reapLater(old)
                earlier[id] = nil
            } else {
                try guardian.write(record, isPublic: isPublic)
            }
        } catch {
            giveUp(id)
            return .failure(unwritable(interfaceRef, error))
        }
        return answer
    }

    private func makeGuard(_ interfaceRef: InterfaceRef, _ record: IntentRecord?) throws(Failure)
        -> GuardHandle
    {
        let file: IntentFile
        do throws(SystemError) {
            file = try IntentFile(interface: interfaceRef.name, in: directory)
        } catch {
            throw unwritable(interfaceRef, error)
        }
        do throws(SystemError) {
            return try GuardHandle(
                interfaceRef.index, record, file, locks: locks(interfaceRef),
                tell: { [console] in GuardLog.tell($0, isWorkerDead: $1, interfaceRef.name, console) })
        } catch {
            throw Self.failure(error)
        }
    }

    private func unwritable(_ interfaceRef: InterfaceRef, _ error: SystemError) -> Failure {
        let words = "\(directory.path)/\(interfaceRef.name).intent: \(error.description)"
        return Failure(kind: .cannotWrite, code: error.code, description: words)
    }

    private static func failure(_ error: SystemError) -> Failure {
        Failure(kind: .other, code: error.code, description: "\(error.call): \(error.description)")
    }

    private func dismiss(_ id: Int) {
        giveUp(id)
        wanted[id] = nil
        if let old = guards.removeValue(forKey: id) { dismiss(old) }
    }

    /// Dismisses the newest guard. The earlier guard of the same bounce, if there is one, takes its place again.
    private func giveUp(_ id: Int) {
        if let new = guards.removeValue(forKey: id) { dismiss(new) }
        guards[id] = earlier.removeValue(forKey: id)
    }

    private func dismiss(_ old: GuardHandle) {
        old.dismiss()
        reapLater(old)
    }

    private func reapLater(_ old: GuardHandle) {
        if place == .callingThread { dismissed.append(old) } else { old.reapLater() }
    }
}

/// Logs the messages of a guard, in the guard's process.
private enum GuardLog {
    static func tell(
        _ finishedBounce: FinishedBounce, isWorkerDead: Bool, _ interface: String, _ console: Console
    ) {
        // A full terminal or pipe must not block the guard.
        guard Output.canTake(.error) else { return }
        let finisher: FinishedBounce.Finisher = isWorkerDead ? .guardOfTheDead : .guardOfTheLate
        for line in finishedBounce.lines(by: finisher, interface: interface) {
            console.atEnd.say(line, about: interface)
        }
    }
}
