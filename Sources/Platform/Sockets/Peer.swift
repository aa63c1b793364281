import CLinux
import Glibc

/// The process that has connected to a local stream socket (unix(7)), as the kernel recorded it then.
struct Peer {
    let user: UInt32
    private let process: pid_t
    private let descriptor: Int32

    /// nil: the kernel does not report it (SO_PEERCRED).
    init?(of descriptor: Int32) {
        var peer = peer_credentials()
        var length = socklen_t(MemoryLayout<peer_credentials>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0,
            length == MemoryLayout<peer_credentials>.size
        else { return nil }
        (user, process, self.descriptor) = (peer.user, peer.process, descriptor)
    }

    /// Whether it is a process of this process's own user and user namespace that holds CAP_NET_ADMIN now.
    ///
    /// A process that has gained capabilities by executing a file is none: this process may not look into it
    /// (ptrace(2), "ptrace access mode checking"). A process with more capabilities than this one is none either.
    /// Before Linux 6.5 the kernel tells the number of the peer alone: another process that got it since then would be
    /// taken for it.
    var isNetworkAdministrator: Bool {
        guard user == UserAccount.ofProcess, process > 0, let handle else { return false }
        defer { close(handle) }
        guard let status = try? SmallFile.text("/proc/\(process)/status"),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix(Self.title) }),
            let set = UInt64(line.dropFirst(Self.title.count), radix: 16),
            set >> UInt64(CAP_NET_ADMIN) & 1 == 1, isOfOurNamespace
        else { return false }
        // It was that process whose files were read: as long as it is not reaped, no other gets its number.
        return pidfd_send_signal(handle, 0, nil, 0) == 0
    }

    private static let title = "CapEff:\t"

    /// SO_PEERPIDFD, or else pidfd_open(2).
    private var handle: Int32? {
        var handle: Int32 = -1
        var length = socklen_t(MemoryLayout<Int32>.size)
        if getsockopt(descriptor, SOL_SOCKET, peer_process_handle, &handle, &length) == 0 { return handle }
        guard errno == ENOPROTOOPT else { return nil }
        handle = pidfd_open(process, 0)
        return handle == -1 ? nil : handle
    }

    /// Capabilities in a user namespace of its own are none here (user_namespaces(7)).
    private var isOfOurNamespace: Bool {
        var (theirs, ours) = (stat(), stat())
        return stat("/proc/\(process)/ns/user", &theirs) == 0 && stat("/proc/self/ns/user", &ours) == 0
            && theirs.st_ino == ours.st_ino && theirs.st_dev == ours.st_dev
    }
}
