import Model
import Platform

/// Notices holds and releases by watching the files of holds, whichever program writes or removes them; and
/// the end of a hold's time.
final class HoldMonitor {
    private let directory: String
    private let onChange: () -> Void
    /// nil: the files are not watched.
    private var watcher: DirectoryWatcher?
    private var timer: TimerSource?
    /// The existing files; nil: unknown.
    private var files: Set<String>?

    /// - Parameter onChange: the files must be read. It is never called from inside a call.
    init(_ directory: String, _ onChange: @escaping () -> Void) {
        self.directory = directory
        self.onChange = onChange
        listen()
    }

    var isListening: Bool { watcher != nil }

    /// Starts watching, if it does not watch yet: the directory did not exist, or has gone since.
    func listen() {
        guard watcher == nil else { return }
        watcher = try? DirectoryWatcher(
            directory,
            onChange: { [unowned self] names in
                // The directory also contains locks and records, which come and go.
                guard names?.contains(where: HoldFile.isName) != false else { return }
                readDirectory()
                onChange()
            },
            onEnd: { [unowned self] in
                watcher = nil
                files = nil
                onChange()
            })
        // Only once it is watched.
        if watcher != nil { readDirectory() }
    }

    private func readDirectory() {
        let names = try? HoldFile.names(in: directory)
        files = names.map { Set($0) }
    }

    /// Whether there may be a hold for the interface; its content is not read.
    func mayHold(_ interface: String) -> Bool {
        guard let files else { return true }
        return !files.isDisjoint(with: HoldFile.names(for: interface))
    }

    /// When the first of the holds expires; nil: none does.
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
