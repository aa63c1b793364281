import CLinux
import Glibc

/// The service's listening stream socket (unix(7)): `DIRECTORY/NAME`, for its owner alone, or for a group
/// too.
@MainActor public final class ServiceSocket {
    /// Whether the group may connect: that needs the right to give a file to it (CAP_SETGID), or membership.
    public let isOpenToGroup: Bool
    private let directory: String
    private let name: String
    private let descriptor: Int32
    private var source: EventSource?
    private var pause: TimerSource?
    private let taker: @MainActor (StreamConnection) -> Void
    /// Called when clients have to wait for want of descriptors or memory (accept(2)); again only after one was accepted.
    public var onExhaustion: (@MainActor (SystemError) -> Void)?
    private var isExhausted = false

    /// The most connections that wait to be accepted.
    private static let backlog: Int32 = 64
    /// The most connections that are accepted before others have their turn: a flood of them costs no more in a turn,
    /// and one that comes after a full queue is accepted in the ninth turn.
    private static let mostAtOnce = 8
    /// The pause before the next attempt if the process has no descriptor left.
    private static let breath: Duration = .seconds(1)

    /// Creates the socket, in place of one that a dead service has left: the caller must know by a lock that
    /// no other service runs. Creates the directory if it is missing.
    /// - Parameters:
    ///   - group: the group that may connect besides the owner; nil: none.
    ///   - taker: called with each connection.
    /// - Throws: the directory is not trusted, something that is not a socket has the name (EEXIST), or
    ///   the system refuses.
    public init(
        _ name: String, in directory: String, group: UInt32?,
        _ taker: @escaping @MainActor (StreamConnection) -> Void
    ) throws(SystemError) {
        self.name = name
        self.directory = directory
        self.taker = taker
        let directory = try OpenDirectory.descriptor(of: directory)
        defer { close(directory) }
        try Self.removeStale(name, in: directory)
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let descriptor = try check("socket") { socket(AF_UNIX, Int32(kind), 0) }
        isOpenToGroup = try closingOnError(descriptor) { () throws(SystemError) in
            let isOpenToGroup = try DirectoryCredentials(of: directory).act { () throws(SystemError) in
                try Self.bind(descriptor, name, in: directory, group: group)
            }
            try check("listen") { Glibc.listen(descriptor, Self.backlog) }
            return isOpenToGroup
        }
        self.descriptor = descriptor
        beginAccepting()
    }

    isolated deinit {
        source?.cancel()
        close(descriptor)
    }

    /// Accepts no more connections, and removes the file.
    public func end() {
        pause?.cancel()
        source?.cancel()
        source = nil
        guard let directory = try? OpenDirectory.descriptor(of: directory, making: false) else { return }
        unlinkat(directory, name, 0)
        close(directory)
    }

    // MARK: Creating

    private static func removeStale(_ name: String, in directory: Int32) throws(SystemError) {
        var status = stat()
        guard fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw SystemError(call: "bind", code: EEXIST) }
        try check("unlinkat") { unlinkat(directory, name, 0) }
    }

    /// The file belongs to the group from the beginning: changing its group afterwards needs another
    /// privilege (CAP_CHOWN).
    private static func bind(
        _ descriptor: Int32, _ name: String, in directory: Int32, group: UInt32?
    ) throws(SystemError) -> Bool {
        // The file gets the descriptor's mode, less the umask: only this user until everything is ready.
        fchmod(descriptor, 0o600)
        let own = getegid()
        // setresgid(2) is not needed if the process already has this group.
        let isGiven = group.map { $0 == own || setresgid(.max, $0, .max) == 0 } ?? false
        defer { if isGiven, group != own { _ = setresgid(.max, own, .max) } }
        // Through the descriptor of the directory: no symbolic link on the path, and no path that is too
        // long.
        let address = UnixAddress(path: Array("/proc/self/fd/\(directory)/\(name)".utf8))
        try check("bind") { address.withSocketAddress { Glibc.bind(descriptor, $0, $1) } }
        try check("fchmodat") { fchmodat(directory, name, isGiven ? 0o660 : 0o600, 0) }
        return isGiven
    }

    // MARK: Accepting

    private func acceptWaiting() {
        for _ in 0..<Self.mostAtOnce where source != nil {
            guard accept() else { return }
        }
    }

    /// - Returns: whether one was accepted.
    private func accept() -> Bool {
        let kind = Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let client = accept4(descriptor, nil, nil, kind)
        if client != -1 {
            isExhausted = false
            if let connection = StreamConnection(client) { taker(connection) }
            return true
        }
        // A waiting client would wake the loop for ever while it cannot be accepted.
        let code = errno
        guard [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code) else { return false }
        if !isExhausted { onExhaustion?(SystemError(call: "accept", code: code)) }
        isExhausted = true
        takeBreath()
        return false
    }

    private func beginAccepting() {
        source = try? EventSource.polling(descriptor, for: .reading) { [weak self] in self?.acceptWaiting() }
        if source == nil { takeBreath() }
    }

    private func takeBreath() {
        source?.cancel()
        source = nil
        let pause = pause ?? TimerSource { [weak self] in self?.beginAccepting() }
        self.pause = pause
        pause.schedule(after: Self.breath)
    }
}
