import Glibc
import Model
import Netlink
import Platform

/// Finishes a bounce whose program and guard were both killed, from its record.
public struct Repair {
    /// What was done about the record of one interface.
    public enum Finding: Equatable, Sendable {
        /// There is none.
        case nothing
        /// Of another boot, or incomplete: deleted, and nothing else changed.
        case stale
        /// Of another network namespace: left to a repair in that namespace.
        case elsewhere
        /// A bounce was left half done; a dry run does nothing about it.
        case unfinished(name: String, isHeld: Bool)
        case rescued(name: String, FinishedBounce)
    }

    private let directory: TrustedDirectory
    private let isDryRun: Bool
    /// How long to retry a raise that the kernel refuses: here the caller waits for the result.
    private static let timeout: Duration = .seconds(5)

    /// - Parameter directory: where the records are.
    public init(in directory: TrustedDirectory, isDryRun: Bool = false) {
        self.directory = directory
        self.isDryRun = isDryRun
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
            let (file, stage, bytes, isForeign) = try IntentFile.read(
                interface: interface, directory: directory.path)
        else {
            return .nothing
        }
        guard let record = IntentRecord(bytes), record.isOfThisBoot else {
            if !isDryRun { file.remove() }
            return .stale
        }
        guard record.isOfThisNamespace else { return .elsewhere }
        // A service that is not root cannot unbind a driver: it did not make this record, which may be an
        // attack.
        if isForeign, case .driver = record.undo { throw SystemError(call: "open", code: EPERM) }
        if isDryRun { return .unfinished(name: record.name, isHeld: stage == .held) }
        let finishedBounce = Self.finishedBounce(record, stage)
        if finishedBounce.isOver { file.remove() }
        return .rescued(name: record.name, finishedBounce)
    }

    private static func finishedBounce(_ record: IntentRecord, _ stage: IntentFile.Stage) -> FinishedBounce {
        let work = BounceFinisher(record: record, timeout: timeout, pause: BounceFinisher.sleep)
        do throws(Failure) {
            var kernel = try NetlinkSession()
            return work.run(&kernel, from: stage)
        } catch {
            return .notRaised(error)
        }
    }
}

extension IntentRecord {
    fileprivate var isOfThisBoot: Bool { boot == BootID.boot ?? Self.unknown }
    fileprivate var isOfThisNamespace: Bool { namespace == BootID.networkNamespace ?? Self.unknown }
}
