import Glibc
import Model
import Netlink
import Platform
import Recovery

/// Finishes a bounce from its record, after both its process and its guard were killed.
public struct Repair: Sendable {
    /// The result of handling the record of one interface.
    public enum Finding: Equatable, Sendable {
        /// There is no record.
        case nothing
        /// The record is incomplete, or of another boot. It was deleted, except in a dry run, and nothing
        /// else was changed.
        case stale
        /// The record is of another network namespace. It was left for a repair in that namespace.
        case elsewhere
        /// The record names another interface than its file does. It was deleted, except in a dry run, and
        /// nothing else was changed.
        case misnamed(String)
        /// The caller did not permit setting this interface up because of this record. Nothing was changed.
        case notPermitted
        /// A bounce was interrupted. This is a dry run, so nothing was changed.
        case unfinished(name: String, isKeptDown: Bool)
        /// The program tried to finish the bounce; the second value is the result.
        /// - Parameter isBelieved: false if the items in the record were only compared, and not restored,
        ///   because their writer may have forged them.
        case repaired(name: String, FinishedBounce, isBelieved: Bool)
    }

    /// How far a record is trusted.
    private enum Trust {
        /// Root has written it. It is trusted completely.
        case whole
        /// The service has written it, into a directory to which its hooks, commands and helper cannot write
        /// (``Landlock``). It is trusted for items of its own interface.
        case ownInterface
        /// Any process of the service's user may have written it. It is trusted only for setting the link up.
        case raisingAlone
    }

    private let directory: TrustedDirectory
    private let isDryRun: Bool
    private let mayRaise: @Sendable (Link) -> Bool
    /// How long to repeat the attempt to set the link up if the kernel refuses it. The caller waits for the
    /// result.
    private static let timeout: Duration = .seconds(5)
    /// The longest settle time, whatever the record says. The caller waits for the result.
    private static let longestSettle: Duration = .seconds(30)
    /// How long to wait for the unit that resets the device. When the service ends, systemd runs `repair`
    /// (ExecStopPost=), and gives it a minute (TimeoutStopSec=).
    private static let longestReset: Duration = .seconds(30)

    /// - Parameters:
    ///   - directory: the directory of the records.
    ///   - mayRaise: whether an interface may be set up because of a record that may be forged.
    public init(
        in directory: TrustedDirectory, isDryRun: Bool = false,
        mayRaise: @escaping @Sendable (Link) -> Bool = { _ in true }
    ) {
        self.directory = directory
        self.isDryRun = isDryRun
        self.mayRaise = mayRaise
    }

    /// The names of the interfaces that have a record.
    public func interfaces() throws(SystemError) -> [String] { try IntentFile.interfaces(in: directory.path) }

    /// Whether there is a record for an interface. Without one, the caller need not take the lock.
    public func isNeeded(_ interface: String) -> Bool {
        IntentFile.isThere(for: interface, in: directory)
    }

    /// Finishes the bounce of an interface. Blocks. The caller must have taken the lock of the interface.
    /// - Throws: the record cannot be read, or may be forged (EPERM).
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
        // A service that is not root can neither unbind a driver nor reset a device, so it writes no such
        // record. This record may be an attack.
        if owner != 0, record.undo.isOfRootAlone {
            throw SystemError(call: "open", code: EPERM)
        }
        record.order.settle = min(record.order.settle, Self.longestSettle)
        let trust = Self.trust(in: owner)
        do throws(Failure) {
            var kernel = try NetlinkSession()
            if !isDryRun { try awaitUnit(&record, trust, &kernel) }
            var refused: [Restoration.Refused] = []
            if let finding = try believe(&record, trust, &kernel, &refused) {
                if finding.isOver, !isDryRun { file.remove() }
                return finding
            }
            if isDryRun { return .unfinished(name: record.name, isKeptDown: stage == .keptDown) }
            let work = BounceFinisher(
                record: record, timeout: Self.timeout, pause: BounceFinisher.sleep,
                raised: { file.settle() })
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

    /// Waits until the unit that resets the device has given the device back. The record then names the
    /// device's interface by its present index, so the rest is as after an ordinary bounce.
    private func awaitUnit(
        _ record: inout IntentRecord, _ trust: Trust, _ kernel: inout NetlinkSession
    ) throws(Failure) {
        guard case .unit(let unit) = record.undo else { return }
        let found: DriverBinding.Interface
        do throws(DriverBinding.Problem) {
            found = try unit.awaitEnd(since: record.index.rawValue, within: Self.longestReset)
        } catch {
            // The device is not there. After other errors the record is kept, as the unit may still be at
            // work.
            guard error == .unplugged else { throw Failure(error) }
            record.undo = .link
            return
        }
        let index = InterfaceIndex(rawValue: found.index)
        record.undo = .link
        guard index != record.index else { return }
        // A driver may give the interface another hardware address. A trusted record takes over the new
        // address. A record that may be forged must already have the address of the interface.
        if trust != .raisingAlone { record.order.macAddress = try kernel.link(index).identity }
        record.order.snapshot = record.order.snapshot.moved(from: record.index, to: index)
        record.index = index
    }

    /// Reduces the record to the parts that are trusted.
    /// - Parameter refused: the items that were removed from the record.
    /// - Returns: the result, if the record must not be used; otherwise nil.
    private func believe(
        _ record: inout IntentRecord, _ trust: Trust, _ kernel: inout NetlinkSession,
        _ refused: inout [Restoration.Refused]
    ) throws(Failure) -> Finding? {
        // The interface may be missing, because the bounce has taken its driver or device away. Only root can
        // do that, so root has written this record.
        if record.undo.isOfRootAlone { return nil }
        // The finisher itself compares the interface with the record, and unblocks the radio of one that is
        // missing.
        if trust == .whole, !isDryRun { return nil }
        let link: Link
        do throws(Failure) { link = try kernel.link(record.index) } catch {
            guard error.kind == .noSuchDevice else { throw error }
            return .repaired(name: record.name, .gone, isBelieved: true)
        }
        // Another program may rename a link while it is down, so the name is compared only if the record is
        // not root's.
        guard trust == .whole || link.name == record.name, link.identity == record.order.macAddress else {
            return .repaired(name: record.name, .gone, isBelieved: true)
        }
        if trust == .whole { return nil }
        if case .radio(let radio) = record.undo, !radio.isOf(record.name) { record.undo = .link }
        let snapshot = record.order.snapshot
        let strangers = Set(try kernel.strangers(in: snapshot, on: record.index))
        record.order.snapshot.items.removeAll { strangers.contains($0) }
        // A route of another interface is often intact, and a forged one is not trusted.
        refused = strangers.filter { !snapshot.isFromOwnAddress($0) }.map {
            Restoration.Refused(description: $0.description, failure: .ofAnotherInterface)
        }
        guard trust == .raisingAlone else { return nil }
        record.order.restores = false
        return mayRaise(link) ? nil : .notPermitted
    }
}

extension LinkUndo {
    /// Whether only root can have used the method that this undoes.
    fileprivate var isOfRootAlone: Bool {
        switch self {
        case .link, .radio, .unit: false
        case .driver, .reset: true
        }
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
    static let ofAnotherInterface = Failure(
        kind: .notPermitted, description: "it does not belong to the interface whose record lists it")
}

extension IntentRecord {
    /// The largest record that ``orderedReset(of:in:)`` reads, in bytes: thousands of routes.
    private static let largestOrder = 1 << 20

    /// The reset that a service has ordered from the reset unit, as the intent record of the service says;
    /// nil: there is no such record. The caller must verify the result, because the service is not trusted.
    /// - Parameter directory: the directory of the records of the service.
    /// - Throws: the record cannot be read.
    public static func orderedReset(
        of interface: String, in directory: String
    ) throws(SystemError) -> BusReset? {
        let bytes = try IntentFile.content(interface: interface, directory: directory, largest: largestOrder)
        guard let bytes, let record = IntentRecord(bytes), record.isOfThisBoot, record.isOfThisNamespace,
            record.name == interface, case .unit(let unit) = record.undo
        else { return nil }
        return unit.reset
    }

    fileprivate var isOfThisBoot: Bool { boot == BootID.boot ?? Self.unknown }
    fileprivate var isOfThisNamespace: Bool { namespace == BootID.networkNamespace ?? Self.unknown }
}
