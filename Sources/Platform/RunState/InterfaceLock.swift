import Glibc

/// Makes sure that only one process acts on an interface, be it the service, a one-shot command or a cron
/// job. It is a kernel lock (flock(2)) on `DIRECTORY/INTERFACE.lock`.
///
/// The kernel releases the lock when the last descriptor is closed, so a killed process leaves no lock
/// behind. The file is never removed. Otherwise a process that had opened the file and was waiting would get
/// a lock on a file that no other process can find.
public final class InterfaceLock: Sendable {
    /// Why the lock was not taken.
    public enum LockError: Error, Equatable, Sendable {
        /// Another process has the lock; `by` is the content of the file, "label pid".
        case held(by: String?)
        /// The directory or the file cannot be used; `path` says which.
        case cannotWrite(SystemError, path: String)
    }

    /// The descriptor that has the lock. A process that inherits it by fork(2) has the lock, too, until all
    /// have closed it (flock(2)).
    public let descriptor: Int32
    /// The name of the interface.
    public let interface: String

    private init(descriptor: Int32, _ interface: String) {
        (self.descriptor, self.interface) = (descriptor, interface)
    }
    deinit { close(descriptor) }

    /// Takes the lock of an interface, and writes "label pid" into its file, for the error message of other
    /// processes.
    ///
    /// Blocks the thread, and so the event loop, for at most `wait`.
    public static func acquire(
        interface: String, directory: TrustedDirectory, label: String, wait: Duration
    ) throws(LockError) -> InterfaceLock {
        let place: OpenDirectory
        do { place = try directory.open() } catch { throw .cannotWrite(error, path: directory.path) }
        let lock: InterfaceLock
        let isTaken: Bool
        do throws(SystemError) {
            let (file, size) = try openFile(interface + ".lock", in: place)
            lock = InterfaceLock(descriptor: file, interface)
            isTaken = try lock.isTaken(within: wait)
            if isTaken { try lock.sign(label, over: size) }
        } catch {
            throw .cannotWrite(error, path: directory.path + "/" + interface + ".lock")
        }
        guard isTaken else { throw .held(by: lock.holder()) }
        return lock
    }

    private static func openFile(
        _ name: String, in directory: OpenDirectory
    ) throws(SystemError) -> (file: Int32, size: off_t) {
        guard !name.utf8.contains(UInt8(ascii: "/")), !name.utf8.contains(0), name != ".lock" else {
            throw SystemError(call: "openat", code: EINVAL)
        }
        let flags = O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let owner = directory.owner
        let file = try owner.act { () throws(SystemError) in
            try check("openat") { openat(directory.descriptor, name, flags, 0o600) }
        }
        return try closingOnError(file) { () throws(SystemError) in
            let status = try status(of: file)
            guard status.st_uid == owner.maker else { throw SystemError(call: "openat", code: EPERM) }
            guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError(call: "openat", code: EINVAL) }
            return (file, status.st_size)
        }
    }

    /// Tries to take the lock until the time is over, because flock(2) has no time-out.
    private func isTaken(within wait: Duration) throws(SystemError) -> Bool {
        let end = ContinuousClock.now + wait
        while true {
            do {
                try check("flock") { flock(descriptor, LOCK_EX | LOCK_NB) }
                return true
            } catch {
                guard error.code == EWOULDBLOCK else { throw error }
            }
            let rest = end - .now
            guard rest > .zero else { return false }
            let pause = min(rest, Self.pause).components.attoseconds / 1_000_000_000_000
            usleep(UInt32(pause) + 1)
        }
    }

    private static let pause: Duration = .milliseconds(20)

    /// Writes "label pid" into the file. This tells other processes who has the lock.
    public func sign(_ label: String) throws(SystemError) { try sign(label, over: .max) }

    /// - Parameter size: an upper limit of the file's present size, in bytes. If the new text is not shorter,
    ///   the file is not truncated, because truncating is slower than the write.
    private func sign(_ label: String, over size: off_t) throws(SystemError) {
        let text = Array("\(label) \(getpid())\n".utf8)
        try checkCount("pwrite") { pwrite(descriptor, text, text.count, 0) }
        if size > text.count { try check("ftruncate") { ftruncate(descriptor, off_t(text.count)) } }
    }

    /// The first line of the file; nil if the process that has the lock has not written it yet.
    private func holder() -> String? {
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        let line = bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }
}
