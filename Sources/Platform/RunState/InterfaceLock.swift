import Glibc

/// Ensures that only one run acts on an interface: a kernel lock (flock(2)) on `DIRECTORY/INTERFACE.lock`,
/// shared by service, one-shot and cron.
///
/// The kernel releases it with the last descriptor, so a killed process leaves no stale lock. The file stays:
/// unlinking it would race with a run that has opened it and waits, which would then have a lock on a file
/// that nobody else can see.
public final class InterfaceLock: Sendable {
    /// Why the lock was not taken.
    public enum LockError: Error, Equatable, Sendable {
        /// Another run has it; `by` is what that run wrote into the file, as "label pid".
        case held(by: String?)
        /// The directory or the file cannot be used; its path.
        case cannotWrite(SystemError, path: String)
    }

    /// A process that inherits it by fork(2) has the lock too, until the last one has closed it (flock(2)).
    public let descriptor: Int32

    private init(descriptor: Int32) { self.descriptor = descriptor }
    deinit { close(descriptor) }

    /// Takes the lock of an interface, and writes "label pid" into its file, for the message of runs that
    /// find it taken.
    ///
    /// This blocks, for at most `wait`: call it before the event loop runs.
    public static func acquire(
        interface: String, directory: TrustedDirectory, label: String, wait: Duration
    ) throws(LockError) -> InterfaceLock {
        let place: OpenDirectory
        do { place = try directory.open() } catch { throw .cannotWrite(error, path: directory.path) }
        let lock: InterfaceLock
        let isTaken: Bool
        do throws(SystemError) {
            let (file, size) = try openFile(interface + ".lock", in: place)
            lock = InterfaceLock(descriptor: file)
            isTaken = try lock.isTaken(within: wait)
            if isTaken { try lock.sign(label, over: size) }
        } catch {
            throw .cannotWrite(error, path: directory.path + "/" + interface + ".lock")
        }
        guard isTaken else { throw .held(by: lock.holder()) }
        return lock
    }

    /// The same in a directory that is looked up for it.
    public static func acquire(
        interface: String, directory: String, label: String, wait: Duration
    ) throws(LockError) -> InterfaceLock {
        try acquire(interface: interface, directory: TrustedDirectory(directory), label: label, wait: wait)
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
        var status = stat()
        let isOurs = fstat(file, &status) == 0 && status.st_uid == owner.maker
        guard isOurs, status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            throw SystemError(call: "openat", code: isOurs ? EINVAL : EPERM)
        }
        return (file, status.st_size)
    }

    /// Tries repeatedly until the time is over: flock(2) has no time-out.
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

    /// Writes "label pid" into the file: the run that has taken the lock.
    public func sign(_ label: String) throws(SystemError) { try sign(label, over: .max) }

    /// - Parameter size: of the file, at least. Mostly nothing needs truncating, which would cost a file
    ///   system more than the write; leftovers come after the first line, and nobody reads them.
    private func sign(_ label: String, over size: off_t) throws(SystemError) {
        let text = Array("\(label) \(getpid())\n".utf8)
        try checkCount("pwrite") { pwrite(descriptor, text, text.count, 0) }
        if size > text.count { try check("ftruncate") { ftruncate(descriptor, off_t(text.count)) } }
    }

    /// The first line of the file; nil if the run has not signed yet.
    private func holder() -> String? {
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        let line = bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }
}
