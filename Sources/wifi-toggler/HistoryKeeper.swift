import Invocation
import Platform
import Service
import Toggling

/// Writes the history in `/var/lib/wifi-toggler`: a file for each interface. Who changes a link holds its lock, so that
/// each file has one writer; and a link that is always sick does not push out the history of the others.
///
/// While nothing changes it writes a line in a quarter of an hour. A disk that takes nothing costs the history and
/// stops nothing.
final class HistoryKeeper {
    private static let suffix = ".history"
    /// Of each of the two files of an interface: with one sample in a quarter of an hour three weeks at least.
    private static let largest = 512 << 10
    /// Of a directory that somebody filled no more names are looked at.
    private static let mostNames = 4096
    /// What is read and understood in one turn of the event loop, in octets.
    private static let piece = 1 << 14
    /// After that nobody waits for the disk any more.
    private static let patience: Duration = .seconds(60)

    private let witness: HistoryEntry.Witness
    private let folder: Folder
    private let complaint: StateComplaint
    private var chronicles: [Int: Chronicle] = [:]
    /// Read when the first entry is made: a bounce has no need of it.
    private lazy var boot = BootIdentity.boot ?? ""
    private let memory = HistoryMemory()
    private var isSyncing = false

    init(_ witness: HistoryEntry.Witness, in folder: Folder, _ complaint: StateComplaint) {
        self.witness = witness
        self.folder = folder
        self.complaint = complaint
    }

    static func file(of interface: String, in folder: Folder) -> LedgerFile {
        LedgerFile(interface + suffix, in: folder, largest: largest)
    }

    /// The interfaces that something is kept of, in their order.
    static func names(in directory: String) -> [String] {
        LedgerFile.names(in: directory, suffix: suffix, atMost: mostNames)
    }

    func begin(_ subject: Subject) {
        let chronicle = Chronicle(witness, interface: subject.name, at: now)
        chronicles[subject.id] = chronicle
        if witness == .run { write([chronicle.began(program: Help.version, at: now)]) }
    }

    func take(_ report: Report, _ subject: Subject) {
        chronicles[subject.id]?.interface = subject.name
        guard let entries = chronicles[subject.id]?.take(report, at: now), !entries.isEmpty else { return }
        write(entries.filter(isNews))
        // A bounce that begins waits for no disk; a one-shot has somebody who waits for its end.
        if witness == .run, case .cycle = report, entries.contains(where: \.isWorthTheDisk) {
            sync(subject.name)
        }
    }

    func sleptFor(_ span: Duration) {
        write(chronicles.values.compactMap { $0.slept(span, at: now) })
    }

    func end(_ subject: Subject) {
        write(chronicles[subject.id]?.ended(at: now) ?? [])
        chronicles[subject.id] = nil
    }

    // MARK: The file

    /// Without the boot, until it is written down.
    private var now: HistoryMoment { Self.moment(boot: "") }

    /// With it.
    var present: HistoryMoment { Self.moment(boot: boot) }

    static func moment(boot: String) -> HistoryMoment {
        HistoryMoment(
            wall: WallClock.milliseconds(), boot: boot, sinceBoot: BootClock.now() / nanosecondsInMillisecond)
    }

    private static let nanosecondsInMillisecond: Int64 = 1_000_000

    /// Looks up what was done last before this run, in turns on the event loop.
    /// - Parameter tell: is told later, if there is anything to tell.
    func recall(_ subject: Subject, _ tell: @escaping (PastDeed) -> Void) {
        let file = Self.file(of: subject.name, in: folder)
        memory.recall({ Self.open(file) }, tell)
    }

    /// Cron looks every few minutes and knows nothing of its last look: what stands there already is no news.
    private func isNews(_ entry: HistoryEntry) -> Bool {
        guard witness != .run, case .changed = entry.what else { return true }
        let file = Self.file(of: entry.interface, in: folder)
        guard let tail = try? file.tail(atMost: HistoryLine.longest) else { return true }
        for case .entry(let last) in HistoryLine.readings(of: tail).reversed() {
            return last.standing != entry.standing
        }
        return true
    }

    /// What this service writes to, for others to read; of what is watched and has no history yet it is empty.
    func archive(watches: @escaping (String) -> Bool) -> HistoryArchive {
        HistoryArchive(
            names: { [folder] name in
                let kept = Self.names(in: folder.path)
                guard let name else { return kept }
                // Nothing else is ever made a part of a path.
                if kept.contains(name) { return [name] }
                return watches(name) ? [] : nil
            },
            open: { [folder] in Self.open(Self.file(of: $0, in: folder)) },
            moment: { TimeText.value(of: $0)?.milliseconds(now: WallClock.milliseconds()) },
            wallTime: { WallClock.rfc3339(milliseconds: $0) })
    }

    private static func open(_ file: LedgerFile) -> () -> HistoryArchive.Piece {
        let failed = { (error: SystemError) in HistoryArchive.Piece.failed("\(file.path): \(error.words)") }
        let reading: LedgerReading
        do throws(SystemError) { reading = try file.reading() } catch { return { failed(error) } }
        return {
            do throws(SystemError) {
                switch try reading.next(atMost: piece) {
                case .octets(let octets): return .octets(octets)
                case .later: return .later
                case .end: return .end
                }
            } catch {
                return failed(error)
            }
        }
    }

    private func write(_ entries: [HistoryEntry]) {
        for entry in entries {
            var entry = entry
            entry.at.boot = boot
            let file = Self.file(of: entry.interface, in: folder)
            do throws(SystemError) { try file.append(HistoryLine.octets(of: entry)) } catch {
                complaint.make(
                    "could not write \(file.path): \(error.words) (give another directory with --state-dir)")
            }
        }
    }

    /// Beside the loop: a worn card takes a second. What fails has failed to be written before, and was told.
    private func sync(_ interface: String) {
        guard !isSyncing else { return }
        isSyncing = true
        let file = Self.file(of: interface, in: folder)
        let work: @Sendable () -> Bool = { (try? file.sync()) != nil }
        BlockingWork.perform(within: Self.patience, work) { [weak self] _ in self?.isSyncing = false }
    }
}

extension HistoryEntry {
    /// A sample more or less does not matter after a power cut.
    fileprivate var isWorthTheDisk: Bool {
        switch what {
        case .changed, .acted, .vanished, .slept: true
        case .began, .ended, .appeared, .sampled: false
        }
    }
}
