import Synchronization

/// The path of a directory of this program, such as `/run/wifi-toggler`. The directory is checked whenever it
/// is opened (``OpenDirectory``).
public final class TrustedDirectory: Sendable {
    public let path: String
    private let isKept: Bool
    private let kept = AtomicLazyReference<OpenDirectory>()

    /// - Parameter isKept: whether to open and check the directory only once and keep it open, for a
    ///   short-lived process. Otherwise each use opens the directory again, because it may be replaced while
    ///   a service runs.
    public init(_ path: String, isKept: Bool = false) {
        self.path = path
        self.isKept = isKept
    }

    /// Opens the directory.
    /// - Parameter making: whether to create a missing directory. Otherwise it is an error (ENOENT).
    func open(making: Bool = true) throws(SystemError) -> OpenDirectory {
        if let directory = kept.load() { return directory }
        let directory = try OpenDirectory(path, making: making)
        return isKept ? kept.storeIfNil(directory) : directory
    }
}
