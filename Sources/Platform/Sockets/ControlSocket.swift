import CLinux
import Glibc

/// Connects to the local sockets on which daemons take commands (unix(7)).
public enum ControlSocket {
    /// Why no connection was made.
    public enum Problem: Error, Equatable, Sendable {
        /// The socket does not exist, or nobody listens on it any more.
        case none
        /// The file or its directory is not trusted; the clause says why.
        case untrusted(String)
        case refused(SystemError)
    }

    /// The type of the socket: SOCK_DGRAM or SOCK_STREAM.
    public enum SocketType: Sendable {
        case datagrams
        case stream

        fileprivate var value: UInt32 {
            switch self {
            case .datagrams: SOCK_DGRAM.rawValue
            case .stream: SOCK_STREAM.rawValue
            }
        }
    }

    /// The directory of wpa_supplicant(8)'s sockets on most systems.
    public static let supplicantDirectory = "/run/wpa_supplicant"

    /// Connects to `DIRECTORY/NAME`. The kernel gives a datagram socket a name in the abstract name space, so
    /// that the daemon can answer and no file is left behind.
    ///
    /// Neither the directory nor the socket may be a symbolic link. The owner of the socket must be root or
    /// this user. A stream socket belongs to this project's service, so it may also belong to the service's
    /// own user (``DirectoryCredentials``). The connection goes through the descriptor of the file that was
    /// checked, not through its name.
    /// - Parameter deadline: in nanoseconds of CLOCK_BOOTTIME. Until then, the call blocks while the queue of
    ///   connections is full. The kernel wakes blocked processes in the order in which they came; without
    ///   blocking, each new attempt could find the queue full again.
    /// - Returns: a descriptor that does not block, and that the caller closes.
    /// - Throws: why there is no connection; `refused` with EAGAIN if the queue is full until the deadline.
    public static func connect(
        to name: String, in directory: String, by type: SocketType = .datagrams, before deadline: Int64 = 0
    ) throws(Problem) -> Int32 {
        let place = try find(name, in: directory, type)
        defer { close(place) }
        do throws(SystemError) {
            return try connect(to: place, by: type, before: deadline)
        } catch {
            throw error.code == ECONNREFUSED ? .none : .refused(error)
        }
    }

    /// The process that listens on the stream socket `DIRECTORY/NAME` of this project's service, as the
    /// kernel recorded it at the time of listen(2) (SO_PEERCRED, unix(7)). Sends nothing.
    /// - Returns: nil if nobody listens, or if this process may not connect or does not trust the socket.
    public static func listener(on name: String, in directory: String) -> Int32? {
        guard let descriptor = try? connect(to: name, in: directory, by: .stream) else { return nil }
        defer { close(descriptor) }
        return Peer(of: descriptor).map(\.process).flatMap { $0 > 0 ? $0 : nil }
    }

    /// Opens the file without access to its content (O_PATH, open(2)), and checks it.
    private static func find(
        _ name: String, in directory: String, _ type: SocketType
    ) throws(Problem) -> Int32 {
        guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(where: { $0 == 0x2f || $0 == 0 })
        else { throw .none }
        let openDirectory = try opening(directory) { () throws(SystemError) in
            try check("open") { open(directory, open_path_only | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
        }
        defer { close(openDirectory) }
        let place = try opening(directory) { () throws(SystemError) in
            try check("openat") { openat(openDirectory, name, open_path_only | O_NOFOLLOW | O_CLOEXEC) }
        }
        let file = try opening(directory) { () throws(SystemError) -> stat in
            try closingOnError(place) { () throws(SystemError) in try status(of: place) }
        }
        let isOurs =
            file.st_uid == 0 || file.st_uid == UserAccount.ofProcess
            || type == .stream && DirectoryCredentials.isService(file.st_uid)
        guard isOurs, file.st_mode & S_IFMT == S_IFSOCK else {
            close(place)
            let path = "\(directory)/\(name)"
            throw .untrusted(
                isOurs ? "\(path) is not a socket" : "\(path) belongs to the user \(file.st_uid)")
        }
        return place
    }

    private static func opening<Value>(
        _ directory: String, _ body: () throws(SystemError) -> Value
    ) throws(Problem) -> Value {
        do throws(SystemError) {
            return try body()
        } catch {
            switch error.code {
            case ENOENT: throw .none
            case ENOTDIR, ELOOP:
                throw .untrusted("\(directory) is no directory, or a symbolic link")
            default: throw .refused(error)
            }
        }
    }

    private static func connect(
        to place: Int32, by type: SocketType, before deadline: Int64
    ) throws(SystemError) -> Int32 {
        let flags = type.value | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let descriptor = try check("socket") { socket(AF_UNIX, Int32(flags), 0) }
        return try closingOnError(descriptor) { () throws(SystemError) in
            if type == .datagrams {
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

    /// Makes calls on the socket block until the deadline (SO_SNDTIMEO, socket(7)).
    /// - Returns: false if the deadline has passed.
    private static func block(_ descriptor: Int32, before deadline: Int64) throws(SystemError) -> Bool {
        let microseconds = (deadline - BootClock.now()) / 1000
        // A time-out of zero would mean no time-out.
        guard microseconds > 0 else { return false }
        var rest = timeval(tv_sec: Int(microseconds / 1_000_000), tv_usec: Int(microseconds % 1_000_000))
        try check("setsockopt") {
            setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &rest, socklen_t(MemoryLayout<timeval>.size))
        }
        try check("fcntl") { fcntl(descriptor, F_SETFL, 0) }
        return true
    }
}
