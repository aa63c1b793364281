import Synchronization

/// A directory of this program by its path, such as `/run/wifi-toggler`, that is checked whenever it is opened
/// (``OpenDirectory``).
public final class TrustedDirectory: Sendable {
    public let path: String
    private let isKept: Bool
    private let kept = AtomicLazyReference<OpenDirectory>()

    /// - Parameter isKept: look it up and check it once and keep it open, for a process that soon ends.
    ///   Otherwise each use opens what has its name then: while a service runs, the directory may be
    ///   replaced.
    public init(_ path: String, isKept: Bool = false) {
        self.path = path
        self.isKept = isKept
    }

    /// - Parameter making: false: a directory that is missing is an error (ENOENT).
    func open(making: Bool = true) throws(SystemError) -> OpenDirectory {
        if let directory = kept.load() { return directory }
        let directory = try OpenDirectory(path, making: making)
        return isKept ? kept.storeIfNil(directory) : directory
    }
}
