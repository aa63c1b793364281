import Glibc

/// A directory with a file and a lock file. This program holds the lock as long as it runs, and writes both
/// files anew for each input.
final class ScratchDirectory: Sendable {
    static let shared = ScratchDirectory()
    /// The name of the lock.
    static let interface = "wlan0"

    let path: String
    let file: String
    private let fileDescriptor: Int32
    private let lockDescriptor: Int32

    /// Below the directory TMPDIR, which the caller removes.
    private init() {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        path = parent + "/fuzz-\(getpid())"
        demand(mkdir(path, 0o700) == 0, "mkdir \(path): \(errno)")
        file = path + "/file"
        fileDescriptor = open(file, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        let lock = path + "/\(Self.interface).lock"
        lockDescriptor = open(lock, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        demand(fileDescriptor != -1 && lockDescriptor != -1, "open in \(path): \(errno)")
        demand(flock(lockDescriptor, LOCK_EX | LOCK_NB) == 0, "flock: \(errno)")
    }

    func writeFile(_ bytes: [UInt8]) { Self.replace(fileDescriptor, with: bytes) }
    func writeLock(_ bytes: [UInt8]) { Self.replace(lockDescriptor, with: bytes) }

    private static func replace(_ descriptor: Int32, with bytes: [UInt8]) {
        demand(ftruncate(descriptor, 0) == 0, "ftruncate: \(errno)")
        demand(pwrite(descriptor, bytes, bytes.count, 0) == bytes.count, "pwrite: \(errno)")
    }
}
