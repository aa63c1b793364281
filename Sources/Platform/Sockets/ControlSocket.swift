import CLinux
import Glibc

/// The client's side of a local socket on which a daemon takes commands (unix(7)).
public enum ControlSocket {
    /// Why it is not used.
    public enum Problem: Error, Equatable, Sendable {
        /// There is none, or it has no listener any more.
        case none
        /// The name belongs to something else, or to another user; a clause.
        case untrusted(String)
        case refused(SystemError)
    }

    /// The type of the socket.
    public enum Kind: Sendable {
        case datagrams
        case stream

        fileprivate var type: UInt32 {
            switch self {
            case .datagrams: SOCK_DGRAM.rawValue
            case .stream: SOCK_STREAM.rawValue
            }
        }
    }

    /// Where wpa_supplicant(8) creates its sockets on most systems.
    public static let supplicantDirectory = "/run/wpa_supplicant"

    /// Connects to `DIRECTORY/NAME`. A datagram socket is bound to a name that the kernel
    /// chooses in the abstract name space, so that the daemon can answer and nothing is left behind on a
    /// disk.
    ///
    /// Neither the directory nor the socket may be a symbolic link, and the owner of the socket must be root
    /// or this user; a stream socket, which is this project's service, may belong to the service's own user
    /// (``DirectoryCredentials``). The connection uses the file that was checked: it goes through its
    /// descriptor, not its name.
    /// - Parameter deadline: nanoseconds of CLOCK_BOOTTIME: until then this blocks while too many others wait to be
    ///   accepted. The kernel wakes those who block here in the order in which they came: who tries again and again
    ///   instead finds the queue full each time.
    /// - Returns: a descriptor that does not block, and that the caller closes.
    /// - Throws: EAGAIN if too many others wait.
    public static func connect(
        to name: String, in directory: String, by kind: Kind = .datagrams, before deadline: Int64 = 0
    ) throws(Problem) -> Int32 {
        let place = try find(name, in: directory, kind)
        defer { close(place) }
        do throws(SystemError) {
            return try connect(to: place, by: kind, before: deadline)
        } catch {
            throw error.code == ECONNREFUSED ? .none : .refused(error)
        }
    }

    /// A descriptor of the file (O_PATH, open(2)).
    private static func find(
        _ name: String, in directory: String, _ kind: Kind
    ) throws(Problem) -> Int32 {
        guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(where: { $0 == 0x2f || $0 == 0 })
        else { throw .none }
        let openDirectory = try opening { () throws(SystemError) in
            try check("open") { open(directory, open_path_only | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
        }
        defer { close(openDirectory) }
        let place = try opening { () throws(SystemError) in
            try check("openat") { openat(openDirectory, name, open_path_only | O_NOFOLLOW | O_CLOEXEC) }
        }
        var status = stat()
        let isKnown = fstat(place, &status) == 0
        let isOurs =
            status.st_uid == 0 || status.st_uid == UserAccount.ofProcess
            || kind == .stream && DirectoryCredentials.isService(status.st_uid)
        guard isKnown, isOurs, status.st_mode & S_IFMT == S_IFSOCK else {
            close(place)
            let path = "\(directory)/\(name)"
            throw .untrusted(
                isOurs ? "\(path) is not a socket" : "\(path) belongs to the user \(status.st_uid)")
        }
        return place
    }

    private static func opening(_ body: () throws(SystemError) -> Int32) throws(Problem) -> Int32 {
        do throws(SystemError) {
            return try body()
        } catch {
            switch error.code {
            case ENOENT: throw .none
            case ENOTDIR, ELOOP:
                throw .untrusted("the directory of control sockets is none, or a symbolic link")
            default: throw .refused(error)
            }
        }
    }

    private static func connect(
        to place: Int32, by kind: Kind, before deadline: Int64
    ) throws(SystemError) -> Int32 {
        let type = kind.type | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let descriptor = try check("socket") { socket(AF_UNIX, Int32(type), 0) }
        return try closingOnError(descriptor) { () throws(SystemError) in
            if kind == .datagrams {
                var unnamed = sockaddr(sa_family: sa_family_t(AF_UNIX), sa_data: sockaddr().sa_data)
                let length = socklen_t(MemoryLayout<sa_family_t>.size)
                try check("bind") { bind(descriptor, &unnamed, length) }
            }
            let address = UnixAddress(path: Array("/proc/self/fd/\(place)".utf8))
            func connect() throws(SystemError) {
                try check("connect") { address.withSocketAddress { Glibc.connect(descriptor, $0, $1) } }
            }
            do throws(SystemError) {
                try connect()
            } catch {
                guard error.code == EAGAIN, try block(descriptor, before: deadline) else { throw error }
                try connect()
                try check("fcntl") { fcntl(descriptor, F_SETFL, O_NONBLOCK) }
            }
            return descriptor
        }
    }

    /// Calls block until the deadline (SO_SNDTIMEO, socket(7)).
    /// - Returns: false: it has passed.
    private static func block(_ descriptor: Int32, before deadline: Int64) throws(SystemError) -> Bool {
        let microseconds = (deadline - BootClock.now()) / 1000
        // Zero would mean for ever.
        guard microseconds > 0 else { return false }
        var rest = timeval(tv_sec: Int(microseconds / 1_000_000), tv_usec: Int(microseconds % 1_000_000))
        try check("setsockopt") {
            setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &rest, socklen_t(MemoryLayout<timeval>.size))
        }
        try check("fcntl") { fcntl(descriptor, F_SETFL, 0) }
        return true
    }
}
