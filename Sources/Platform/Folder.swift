import Glibc
import Synchronization

/// A directory of ours by its path, such as `/run/wifi-toggler`, that nobody else can have prepared (``RunDirectory``).
public final class Folder: Sendable {
    public let path: String
    private let isKept: Bool
    private let kept = AtomicLazyReference<OpenFolder>()

    /// - Parameter isKept: it is looked up and looked at once and stays open, for a process that soon ends. Otherwise
    ///   each use finds what has its name then: in the life of a service somebody may make it anew.
    public init(_ path: String, isKept: Bool = false) {
        self.path = path
        self.isKept = isKept
    }

    /// - Parameter making: false: a directory that is missing is an error (ENOENT).
    func open(making: Bool = true) throws(SystemError) -> OpenFolder {
        if let folder = kept.load() { return folder }
        let folder = try OpenFolder(path, making: making)
        return isKept ? kept.storeIfNil(folder) : folder
    }
}

/// Such a directory, open and found to be ours, closed with the last reference to it.
final class OpenFolder: Sendable {
    let descriptor: Int32
    let owner: DirectoryOwner

    init(_ path: String, making: Bool) throws(SystemError) {
        (descriptor, owner) = try RunDirectory.openOwned(path, making: making)
    }

    deinit { close(descriptor) }
}
