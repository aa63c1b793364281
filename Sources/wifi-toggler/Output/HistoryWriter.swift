import Invocation
import Model
import Platform
import Reporting
import Service
import Toggling

/// Writes the history to the state directory, in one file per interface. The process that changes a link has
/// the interface's lock, so each file has one writer. Also, the many entries of a link that is always sick do
/// not displace those of other links.
///
/// While nothing changes, it writes one line every 15 minutes, also about an absent interface. If the disk is
/// full, the program continues without history.
final class HistoryWriter {
    private static let suffix = ".history"
    /// The size of each of the two files of an interface, in bytes. With one sample every 15 minutes, a file
    /// covers at least three weeks.
    private static let largest = 512 << 10
    /// The most names that are read in the directory.
    private static let mostNames = 4096
    /// How many bytes of a file are read and parsed in one turn of the event loop.
    private static let piece = 1 << 14
    /// How long to wait for the disk.
    private static let timeout: Duration = .seconds(60)

    private let command: HistoryEntry.Command
    private let directory: TrustedDirectory
    private let warnOnce: WarnOnce
    private var recorders: [Int: HistoryRecorder] = [:]
    /// The boot ID. It is read with the first entry, because a bounce does not need it.
    private lazy var boot = BootID.boot ?? ""
    private let pastEventsLoader = PastEventsLoader()
    /// Fires when the next sample of an absent interface is due. All other samples are made at checks.
    private lazy var absenceTimer = TimerSource { [unowned self] in sampleAbsences() }
    private var isSyncing = false
    /// The interfaces whose files have to be synced after the present sync.
    private var unsynced: Set<String> = []

    init(_ command: HistoryEntry.Command, in directory: TrustedDirectory, _ warnOnce: WarnOnce) {
        self.command = command
        self.directory = directory
        self.warnOnce = warnOnce
    }

    static func file(of interface: String, in directory: TrustedDirectory) -> RotatingFile {
        RotatingFile(interface + suffix, in: directory, largest: largest)
    }

    /// The names of the interfaces that have a history, sorted.
    static func names(in directory: String) -> [String] {
        RotatingFile.names(in: directory, suffix: suffix, atMost: mostNames)
    }

    func begin(_ interfaceRef: InterfaceRef) {
        var recorder = HistoryRecorder(command, interface: interfaceRef.name, at: now)
        if command == .run { write([recorder.began(program: Help.version, at: now)]) }
        recorders[interfaceRef.id] = recorder
    }

    func take(_ record: Record, _ interfaceRef: InterfaceRef) {
        guard let entries = recorders[interfaceRef.id]?.take(record, at: now), !entries.isEmpty else {
            return
        }
        write(entries.filter(isNews))
        if entries.contains(where: { $0.what == .vanished }) { scheduleAbsenceSample() }
        // Sync only in a service, at the end of a cycle or before a reboot. The disk must not delay the
        // beginning of a bounce, and a user waits for the end of a one-shot command.
        if command == .run, record.cycle != nil || record.isOfReboot,
            entries.contains(where: \.isWorthTheDisk)
        {
            sync(interfaceRef.name)
        }
    }

    /// Records the result of a reboot of the machine for this link.
    func rebooted(
        _ interfaceRef: InterfaceRef, because cause: RecordedVerdict, _ verdict: Verdict,
        _ condition: Health.Condition
    ) {
        let entry = recorders[interfaceRef.id]?.rebooted(because: cause, verdict, condition, at: now)
        write([entry].compactMap(\.self))
    }

    func sleptFor(_ duration: Duration) {
        write(recorders.values.compactMap { $0.slept(duration, at: now) })
    }

    private func sampleAbsences() {
        let now = now
        write(recorders.keys.compactMap { recorders[$0]?.sampleOfAbsence(at: now) })
        scheduleAbsenceSample()
    }

    private func scheduleAbsenceSample() {
        guard let due = recorders.values.compactMap(\.absenceSampleDue).min() else { return }
        absenceTimer.schedule(at: .boot + .milliseconds(due))
    }

    func end(_ interfaceRef: InterfaceRef) {
        write(recorders[interfaceRef.id]?.ended(at: now) ?? [])
        recorders[interfaceRef.id] = nil
    }

    // MARK: The file

    /// The present time without the boot ID, which is added when an entry is written.
    private var now: Timestamp { Self.instant(boot: "") }

    /// The present time with the boot ID.
    var present: Timestamp { Self.instant(boot: boot) }

    static func instant(boot: String) -> Timestamp {
        Timestamp(
            wall: WallClock.milliseconds(), boot: boot, sinceBoot: BootClock.now() / nanosecondsInMillisecond)
    }

    private static let nanosecondsInMillisecond: Int64 = 1_000_000

    /// Finds the last events before this run, in turns on the event loop.
    /// - Parameter tell: called later, unless the history cannot be read.
    func recall(_ interfaceRef: InterfaceRef, _ tell: @escaping (PastEvents) -> Void) {
        let file = Self.file(of: interfaceRef.name, in: directory)
        pastEventsLoader.recall({ Self.open(file) }, tell)
    }

    /// Whether an entry is news. A run of a cron job does not know the result of the run before, so it may
    /// report a change although the last entry in the file has the same health.
    private func isNews(_ entry: HistoryEntry) -> Bool {
        guard command != .run, case .changed = entry.what else { return true }
        let file = Self.file(of: entry.interface, in: directory)
        guard let tail = try? file.tail(atMost: HistoryLine.longest) else { return true }
        for case .entry(let last) in HistoryLine.readings(of: tail).reversed() {
            return last.health != entry.health
        }
        return true
    }

    /// The history files in the state directory, for clients that read them. A watched interface without a
    /// file has an empty history.
    func archive(watches: @escaping (String) -> Bool) -> HistoryArchive {
        HistoryArchive(
            names: { [directory] name in
                let kept = Self.names(in: directory.path)
                guard let name else { return kept }
                // Only names of existing files become part of a path.
                if kept.contains(name) { return [name] }
                return watches(name) ? [] : nil
            },
            open: { [directory] in Self.open(Self.file(of: $0, in: directory)) },
            instant: { TimeText.value(of: $0)?.milliseconds(now: WallClock.milliseconds()) },
            wallTime: { WallClock.rfc3339(milliseconds: $0) })
    }

    private static func open(_ file: RotatingFile) -> () -> HistoryArchive.Piece {
        let failed = { (error: SystemError) in
            HistoryArchive.Piece.failed("\(file.path): \(error.description)")
        }
        let reading: RotatingFileReader
        do throws(SystemError) { reading = try file.reading() } catch { return { failed(error) } }
        return {
            do throws(SystemError) {
                switch try reading.next(atMost: piece) {
                case .bytes(let bytes): return .bytes(bytes)
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
            let file = Self.file(of: entry.interface, in: directory)
            do throws(SystemError) { try file.append(HistoryLine.bytes(of: entry)) } catch {
                warnOnce.make(
                    "could not write \(file.path): \(error.description) (give another directory with --state-dir)"
                )
            }
        }
    }

    /// Writes the file to the disk on another thread, because a worn memory card may take a second. A failure
    /// is not reported here; the writes report a disk that fails.
    private func sync(_ interface: String) {
        // An entry that is written during a sync of the same file may miss that sync.
        unsynced.insert(interface)
        syncNext()
    }

    private func syncNext() {
        guard !isSyncing, !unsynced.isEmpty else { return }
        isSyncing = true
        let files = unsynced.map { Self.file(of: $0, in: directory) }
        unsynced = []
        let work: @Sendable () -> Bool = {
            for file in files { try? file.sync() }
            return true
        }
        BlockingWork.perform(within: Self.timeout, work) { [weak self] _ in
            self?.isSyncing = false
            // A bounce that waits until no work is under way comes before the next sync.
            BlockingWork.afterwards { [weak self] in self?.syncNext() }
        }
    }
}

extension HistoryEntry {
    /// Whether the entry must survive a power cut. A sample need not.
    fileprivate var isWorthTheDisk: Bool {
        switch what {
        case .changed, .acted, .vanished, .slept: true
        case .began, .ended, .appeared, .sampled, .withheld: false
        }
    }
}
