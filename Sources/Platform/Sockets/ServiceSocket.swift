import CLinux
import Glibc

/// The service's listening stream socket, `DIRECTORY/NAME` (unix(7)). Its owner may connect to it, and
/// optionally a group.
@MainActor public final class ServiceSocket {
    /// Whether the group may connect. Giving the file to a group needs CAP_SETGID, unless the group is this
    /// process's real, effective or saved one (setresgid(2)).
    public let isOpenToGroup: Bool
    private let directory: String
    private let name: String
    private let descriptor: Int32
    private var source: EventSource?
    private var pause: TimerSource?
    private let taker: @MainActor (StreamConnection) -> Void
    /// Called when a client cannot be accepted for lack of descriptors or memory (accept(2)). It is called
    /// again only after a later client was accepted.
    public var onExhaustion: (@MainActor (SystemError) -> Void)?
    private var isExhausted = false

    /// The most connections that wait to be accepted (listen(2)).
    private static let backlog: Int32 = 64
    /// The most connections that are accepted in one turn of the event loop, so that a flood of them does not
    /// block it. A connection behind a full queue is accepted in the ninth turn.
    private static let mostAtOnce = 8
    /// The pause before the next attempt if no descriptor or memory was available.
    private static let breath: Duration = .seconds(1)

    /// Creates the socket, in place of one that a dead service has left. The caller must make sure by a lock
    /// that no other service runs. Creates the directory if it does not exist.
    /// - Parameters:
    ///   - group: the ID of the group that may connect besides the owner; nil for none.
    ///   - taker: called with each connection.
    /// - Throws: the directory is not trusted, the name belongs to something other than a socket (EEXIST), or
    ///   a system call fails.
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

    /// Stops accepting connections, and removes the file.
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

    /// Binds the socket. The file must get its group when it is created: a process that is not a member of
    /// the group needs CAP_CHOWN to change it later.
    /// - Returns: whether the file belongs to the group.
    private static func bind(
        _ descriptor: Int32, _ name: String, in directory: Int32, group: UInt32?
    ) throws(SystemError) -> Bool {
        // The file gets the mode of the descriptor, less the umask. Until everything is ready, only this user
        // may connect.
        fchmod(descriptor, 0o600)
        let own = getegid()
        // A process that already has this group need not change it.
        let isGiven = group.map { $0 == own || setresgid(.max, $0, .max) == 0 } ?? false
        defer { if isGiven, group != own { _ = setresgid(.max, own, .max) } }
        // Bind through the descriptor of the directory. So no symbolic link is followed, and the path is
        // always short enough.
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

    /// - Returns: whether a connection was accepted.
    private func accept() -> Bool {
        let kind = Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let client = accept4(descriptor, nil, nil, kind)
        if client != -1 {
            isExhausted = false
            if let connection = StreamConnection(client) { taker(connection) }
            return true
        }
        // Without a pause, the waiting client would wake the loop again and again.
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
