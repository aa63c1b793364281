import Platform
import Toggling

/// Notices that an interface is held or released, by whoever writes or removes the files of it, and that the time of a
/// hold is over.
final class HoldWatch {
    private let directory: String
    private let onChange: () -> Void
    /// nil: nobody tells of the files.
    private var folder: FolderWatch?
    private var timer: TimerSource?

    /// - Parameter onChange: look at the files. It is never called from inside a call.
    init(_ directory: String, _ onChange: @escaping () -> Void) {
        self.directory = directory
        self.onChange = onChange
        listen()
    }

    var isListening: Bool { folder != nil }

    /// Begins to, where it does not: the directory was not there, or has gone since.
    func listen() {
        guard folder == nil else { return }
        folder = try? FolderWatch(
            directory,
            onChange: { [unowned self] names in
                // Locks and records come and go there, too.
                if names?.contains(where: HoldFile.isName) != false { onChange() }
            },
            onEnd: { [unowned self] in
                folder = nil
                onChange()
            })
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
