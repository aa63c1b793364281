import Model
import Platform

/// Notices when holds begin and end, by watching their files, whichever program writes or removes them. Also
/// notices when the time of a hold ends.
final class HoldMonitor {
    private let directory: String
    private let onChange: () -> Void
    /// Watches the directory; nil if it is not being watched.
    private var watcher: DirectoryWatcher?
    private var timer: TimerSource?
    /// The names of the existing files; nil if they are unknown.
    private var files: Set<String>?

    /// - Parameter onChange: called when the files must be read; never inside a call of this object.
    init(_ directory: String, _ onChange: @escaping () -> Void) {
        self.directory = directory
        self.onChange = onChange
        listen()
    }

    var isListening: Bool { watcher != nil }

    /// Starts watching the directory, unless it is being watched. Call this again later: the directory may
    /// not exist yet, or may have been removed and created again.
    func listen() {
        guard watcher == nil else { return }
        watcher = try? DirectoryWatcher(
            directory,
            onChange: { [unowned self] names in
                // The directory also contains locks and records, which often change.
                guard names?.contains(where: HoldFile.isName) != false else { return }
                readDirectory()
                onChange()
            },
            onEnd: { [unowned self] in
                watcher = nil
                files = nil
                onChange()
            })
        // Read the directory only after watching has started, so that no file is missed.
        if watcher != nil { readDirectory() }
    }

    private func readDirectory() {
        let names = try? HoldFile.names(in: directory)
        files = names.map { Set($0) }
    }

    /// Whether there may be a hold on the interface, judging by the names of the files.
    func mayHold(_ interface: String) -> Bool {
        guard let files else { return true }
        return !files.isDisjoint(with: HoldFile.names(for: interface))
    }

    /// Sets the time at which the first hold ends; nil if no hold has an end.
    func expect(_ end: Instant?) {
        guard let end else {
            timer?.cancel()
            return
        }
        let timer = timer ?? TimerSource { [unowned self] in onChange() }
        self.timer = timer
        timer.schedule(at: end)
    }
}
