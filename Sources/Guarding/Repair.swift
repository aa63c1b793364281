import Glibc
import Model
import Netlink
import Platform

/// Finishes a bounce whose program and guard were both killed, from its record.
public struct Repair: Sendable {
    /// What was done about the record of one interface.
    public enum Finding: Equatable, Sendable {
        /// There is none.
        case nothing
        /// Of another boot, or incomplete: deleted, and nothing else changed.
        case stale
        /// Of another network namespace: left to a repair in that namespace.
        case elsewhere
        /// It names another interface than its file: deleted, and nothing else changed.
        case misnamed(String)
        /// The caller did not permit to raise this interface on the word of this record: left alone.
        case notPermitted
        /// A bounce was left half done; a dry run does nothing about it.
        case unfinished(name: String, isHeld: Bool)
        /// - Parameter isBelieved: false: the record's items were only compared, and not restored: their writer
        ///   could not have made them.
        case repaired(name: String, FinishedBounce, isBelieved: Bool)
    }

    /// How far a record is believed.
    private enum Trust {
        /// Root wrote it.
        case whole
        /// The service did, where its hooks, commands and helper cannot write (``Landlock``).
        case ownInterface
        /// Anybody may have written it who runs as the service's user.
        case raisingAlone
    }

    private let directory: TrustedDirectory
    private let isDryRun: Bool
    private let mayRaise: @Sendable (Link) -> Bool
    /// How long to retry a raise that the kernel refuses: here the caller waits for the result.
    private static let timeout: Duration = .seconds(5)
    /// The caller waits no longer for what follows the raise, whatever the record says.
    private static let longestSettle: Duration = .seconds(30)

    /// - Parameters:
    ///   - directory: where the records are.
    ///   - mayRaise: whether an interface may be raised on the word of a record that may be forged.
    public init(
        in directory: TrustedDirectory, isDryRun: Bool = false,
        mayRaise: @escaping @Sendable (Link) -> Bool = { _ in true }
    ) {
        self.directory = directory
        self.isDryRun = isDryRun
        self.mayRaise = mayRaise
    }

    /// The names under which there are records.
    public func interfaces() throws(SystemError) -> [String] { try IntentFile.interfaces(in: directory.path) }

    /// Whether there is a record under this name: without one there is no need to take the lock.
    public func isNeeded(_ interface: String) -> Bool {
        IntentFile.isThere(for: interface, in: directory)
    }

    /// Blocks until the bounce of this interface is finished. The caller must have taken its lock.
    /// - Throws: the record cannot be read.
    public func finish(_ interface: String) throws(SystemError) -> Finding {
        guard
            let (file, stage, bytes, owner) = try IntentFile.read(
                interface: interface, directory: directory.path)
        else {
            return .nothing
        }
        guard var record = IntentRecord(bytes), record.isOfThisBoot else {
            if !isDryRun { file.remove() }
            return .stale
        }
        guard record.isOfThisNamespace else { return .elsewhere }
        guard record.name == interface else {
            if !isDryRun { file.remove() }
            return .misnamed(record.name)
        }
        file.confirm()
        // A service that is not root can neither unbind a driver nor reset a device: it did not make this record, which
        // may be an attack.
        if owner != UserAccount.ofProcess, record.order.method.takesInterfaceAway {
            throw SystemError(call: "open", code: EPERM)
        }
        record.order.settle = min(record.order.settle, Self.longestSettle)
        let trust = Self.trust(in: owner)
        do throws(Failure) {
            var kernel = try NetlinkSession()
            var refused: [Restoration.Refused] = []
            if let finding = try believe(&record, trust, &kernel, &refused) {
                if finding.isOver, !isDryRun { file.remove() }
                return finding
            }
            if isDryRun { return .unfinished(name: record.name, isHeld: stage == .held) }
            let work = BounceFinisher(record: record, timeout: Self.timeout, pause: BounceFinisher.sleep)
            let finishedBounce = work.run(&kernel, from: stage).adding(refused)
            if finishedBounce.isOver { file.remove() }
            return .repaired(name: record.name, finishedBounce, isBelieved: trust != .raisingAlone)
        } catch {
            return .repaired(name: record.name, .notRaised(error), isBelieved: true)
        }
    }

    private static func trust(in owner: UInt32) -> Trust {
        if owner == 0 { return .whole }
        return owner == UserAccount.ofProcess && Landlock.isThere ? .ownInterface : .raisingAlone
    }

    /// Reduces the record to what its writer could have done.
    /// - Parameter refused: what was taken out of it.
    /// - Returns: what it comes to if nothing can be raised on its word.
    private func believe(
        _ record: inout IntentRecord, _ trust: Trust, _ kernel: inout NetlinkSession,
        _ refused: inout [Restoration.Refused]
    ) throws(Failure) -> Finding? {
        // The interface may be away with its driver or device, which only root takes away.
        if record.order.method.takesInterfaceAway { return nil }
        let link: Link
        do throws(Failure) { link = try kernel.link(record.index) } catch {
            guard error.kind == .noSuchDevice else { throw error }
            return .repaired(name: record.name, .gone, isBelieved: true)
        }
        // Another program may rename a link while it is down.
        guard trust == .whole || link.name == record.name, link.identity == record.order.macAddress else {
            return .repaired(name: record.name, .gone, isBelieved: true)
        }
        if trust == .whole { return nil }
        if case .radio(let radio) = record.undo, !radio.isOf(record.name) { record.undo = .link }
        let strangers = Set(try kernel.strangers(in: record.order.snapshot, on: record.index))
        record.order.snapshot.items.removeAll { strangers.contains($0) }
        refused = strangers.map {
            Restoration.Refused(description: $0.description, failure: .ofAnotherInterface)
        }
        guard trust == .raisingAlone else { return nil }
        record.order.restores = false
        return mayRaise(link) ? nil : .notPermitted
    }
}

extension Repair.Finding {
    fileprivate var isOver: Bool {
        if case .repaired(_, let finishedBounce, _) = self { finishedBounce.isOver } else { false }
    }
}

extension FinishedBounce {
    fileprivate func adding(_ refused: [Restoration.Refused]) -> FinishedBounce {
        guard case .finished(let wasDown, var restoration) = self else { return self }
        restoration.refused += refused
        return .finished(wasDown: wasDown, restoration)
    }
}

extension Failure {
    fileprivate static let ofAnotherInterface = Failure(
        kind: .notPermitted, description: "it is of another interface than its record")
}

extension IntentRecord {
    fileprivate var isOfThisBoot: Bool { boot == BootID.boot ?? Self.unknown }
    fileprivate var isOfThisNamespace: Bool { namespace == BootID.networkNamespace ?? Self.unknown }
}
