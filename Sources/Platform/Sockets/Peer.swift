import CLinux
import Glibc

/// The process at the other end of a local stream socket, as the kernel recorded it at the time of its
/// connect(2) or listen(2) (unix(7)).
struct Peer {
    let user: UInt32
    /// The number of the process; 0 if it has none in this process's namespace (pid_namespaces(7)).
    let process: pid_t
    private let descriptor: Int32

    /// Returns nil if the kernel does not report the process (SO_PEERCRED).
    init?(of descriptor: Int32) {
        var peer = peer_credentials()
        var length = socklen_t(MemoryLayout<peer_credentials>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0,
            length == MemoryLayout<peer_credentials>.size
        else { return nil }
        (user, process, self.descriptor) = (peer.user, peer.process, descriptor)
    }

    /// Whether the process has this process's user and user namespace, and has CAP_NET_ADMIN now.
    ///
    /// The answer is false for a process that has gained capabilities by executing a file, or has more of
    /// them than this process: this process may not inspect it (ptrace(2), "ptrace access mode checking").
    /// Before Linux 6.5, the kernel reports only the process ID of the peer. Another process that has got
    /// this ID since then would be mistaken for the peer.
    var isNetworkAdministrator: Bool {
        guard user == UserAccount.ofProcess, process > 0, let handle else { return false }
        defer { close(handle) }
        guard ProcessStatus(of: process)?.has(CAP_NET_ADMIN) == true, isOfOurNamespace else { return false }
        // The peer still exists, so the files that were read were those of the peer: a process ID is not
        // reused before the process is reaped.
        return pidfd_send_signal(handle, 0, nil, 0) == 0
    }

    /// A descriptor of the process (SO_PEERPIDFD, or else pidfd_open(2)).
    private var handle: Int32? {
        var handle: Int32 = -1
        var length = socklen_t(MemoryLayout<Int32>.size)
        if getsockopt(descriptor, SOL_SOCKET, peer_process_handle, &handle, &length) == 0 { return handle }
        guard errno == ENOPROTOOPT else { return nil }
        handle = pidfd_open(process, 0)
        return handle == -1 ? nil : handle
    }

    /// Whether the process is in this user namespace. Its capabilities in another namespace do not count
    /// (user_namespaces(7)).
    private var isOfOurNamespace: Bool {
        var (theirs, ours) = (stat(), stat())
        return stat("/proc/\(process)/ns/user", &theirs) == 0 && stat("/proc/self/ns/user", &ours) == 0
            && theirs.st_ino == ours.st_ino && theirs.st_dev == ours.st_dev
    }
}
