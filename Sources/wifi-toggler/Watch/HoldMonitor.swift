import Model
import Platform
import Toggling

/// Notices that an interface is held or released, by whoever writes or removes the files of it, and that the
/// time of a hold is over.
final class HoldMonitor {
    private let directory: String
    private let onChange: () -> Void
    /// nil: nobody tells of the files.
    private var watcher: DirectoryWatcher?
    private var timer: TimerSource?
    /// The files that there are; nil: that is not known.
    private var files: Set<String>?

    /// - Parameter onChange: look at the files. It is never called from inside a call.
    init(_ directory: String, _ onChange: @escaping () -> Void) {
        self.directory = directory
        self.onChange = onChange
        listen()
    }

    var isListening: Bool { watcher != nil }

    /// Begins to, where it does not: the directory was not there, or has gone since.
    func listen() {
        guard watcher == nil else { return }
        watcher = try? DirectoryWatcher(
            directory,
            onChange: { [unowned self] names in
                // Locks and records come and go there, too.
                guard names?.contains(where: HoldFile.isName) != false else { return }
                readDirectory()
                onChange()
            },
            onEnd: { [unowned self] in
                watcher = nil
                files = nil
                onChange()
            })
        // Not before it is listened to.
        if watcher != nil { readDirectory() }
    }

    private func readDirectory() {
        let names = try? HoldFile.names(in: directory)
        files = names.map { Set($0) }
    }

    /// Whether there may be a file that holds the interface; what it says is not looked at.
    func mayHold(_ interface: String) -> Bool {
        guard let files else { return true }
        return !files.isDisjoint(with: HoldFile.names(for: interface))
    }

    /// When the first of the holds is over by itself; nil: none is.
    func expect(_ end: Instant?) {
        guard let end else {
            timer?.cancel()
            return
        }
        let timer = timer ?? TimerSource { [unowned self] in onChange() }
        self.timer = timer
        timer.schedule(atBootNanoseconds: end.nanoseconds)
    }
}
