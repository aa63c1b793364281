import CLinux
import Glibc
import Platform

/// Confines this process before it reads data from the network. An attacker who exploits a bug in a parser
/// controls only a process of an unprivileged user, which cannot start programs, change files, read files
/// that libraries do not need, open sockets other than network sockets, or trace or signal other processes.
enum Confinement {
    /// The user and group ID of `nobody`, which the kernel also uses for unknown IDs
    /// (/proc/sys/kernel/overflowuid). It is not looked up, because the name service would load other
    /// modules.
    private static let nobody: uid_t = 65534

    private enum Limit {
        /// Enough for a few sockets for each question.
        static let descriptors: rlim_t = 256
        /// Bytes of address space, in addition to what is mapped at the start (RLIMIT_AS).
        static let memory: rlim_t = 256 << 20
        /// The bytes that are assumed to be mapped at the start if /proc does not show how many are.
        static let unknownStart: rlim_t = 512 << 20
    }

    /// Confines the process.
    /// - Returns: the exit status if it is not safe to continue; otherwise nil.
    static func enter() -> ExitStatus? {
        guard isSocket(STDIN_FILENO) else { return .usage }
        // Close any other descriptors of the parent. Descriptors 1 and 2 are /dev/null.
        guard close_range(UInt32(STDERR_FILENO) + 1, .max, 0) == 0, chdir("/") == 0,
            set_no_new_privileges() == 0
        else { return .stillPrivileged }
        umask(0o777)
        dropBounds()
        // A service that is not root lacks CAP_SETGID, so its helper keeps the groups of the service. They
        // are useless with Landlock, which refuses the files that a group could open.
        _ = setgroups(0, nil)
        guard leaveRoot(), dropCapabilities(), limit(), set_not_dumpable() == 0,
            // A change of the user would clear the parent death signal, so set it after that.
            set_parent_death_signal(SIGKILL) == 0, leaveFiles(), filter_calls() == 0
        else { return .stillPrivileged }
        return nil
    }

    private static func isSocket(_ descriptor: Int32) -> Bool {
        var kind: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &kind, &length) == 0
            && kind == Int32(SOCK_SEQPACKET.rawValue)
    }

    /// Drops the ambient and bounding sets (capabilities(7)). Dropping the bounding set needs CAP_SETPCAP,
    /// which a service does not have; but with PR_SET_NO_NEW_PRIVS nothing can be gained from that set.
    private static func dropBounds() {
        _ = clear_ambient_capabilities()
        for capability in Int32(0)... where drop_bounding_capability(capability) == -1 { break }
    }

    /// Changes the user from root to nobody. In a user namespace without an ID for nobody (EINVAL), or in one
    /// that forbids setgroups(2) (EPERM), the process stays root; outside of the namespace it is an ordinary
    /// user.
    private static func leaveRoot() -> Bool {
        guard geteuid() == 0 || getuid() == 0 else { return true }
        guard setgroups(0, nil) == 0, setresgid(nobody, nobody, nobody) == 0,
            setresuid(nobody, nobody, nobody) == 0
        else { return errno == EINVAL || isGroupChangeDenied && errno == EPERM }
        var (real, effective, saved) = (uid_t(0), uid_t(0), uid_t(0))
        return getresuid(&real, &effective, &saved) == 0
            && [real, effective, saved].allSatisfy { $0 == nobody }
    }

    /// Whether setgroups(2) is forbidden, as in a user namespace that an ordinary user has created
    /// (user_namespaces(7)).
    private static var isGroupChangeDenied: Bool { SmallFile.line("/proc/self/setgroups") == "deny" }

    /// The files that libraries read: other libraries and their data, settings, and certificates of
    /// authorities. None of them is secret; private keys are elsewhere, as in /etc/ssl/private.
    private static let readable = [
        "/dev/null", "/dev/urandom", "/etc/ca-certificates", "/etc/crypto-policies", "/etc/gnutls",
        "/etc/ld.so.cache", "/etc/pki/ca-trust", "/etc/pki/tls/certs", "/etc/pki/tls/openssl.cnf",
        "/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/lib", "/lib64", "/usr/lib", "/usr/lib64",
        "/usr/local/share/ca-certificates", "/usr/share/ca-certificates",
    ]

    /// Gives up access to files by Landlock (landlock(7)). No file can be written, created or removed, and
    /// only those in ``readable`` and ``curlAuthorities`` can be read. Since version 6, Landlock also forbids
    /// signals to other processes and the use of their abstract sockets. Without Landlock, the system-call
    /// filter alone prevents the same, except the reading of files.
    private static func leaveFiles() -> Bool {
        let version = landlock_version()
        guard version > 0 else { return true }
        var files =
            landlock_write_file | landlock_change_directory | landlock_read_file | landlock_read_directory
        if version >= 2 { files |= landlock_refer }
        if version >= 3 { files |= landlock_truncate }
        let scopes = version >= 6 ? landlock_scope_abstract_sockets | landlock_scope_signals : 0
        var rules = landlock_rules(files: files, ports: 0, scopes: scopes)
        let ruleset = landlock_create(&rules)
        defer { close(ruleset) }
        guard ruleset != -1 else { return false }
        for place in readable + curlAuthorities { allowReading(place, in: ruleset) }
        return landlock_restrict(ruleset) == 0
    }

    /// Allows reading a file or directory. Ignores one that does not exist.
    private static func allowReading(_ place: String, in ruleset: Int32) {
        let descriptor = open(place, open_path_only | O_CLOEXEC)
        guard descriptor != -1 else { return }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return }
        let isDirectory = status.st_mode & S_IFMT == S_IFDIR
        var rule = landlock_place(
            allowed: isDirectory ? landlock_read_file | landlock_read_directory : landlock_read_file,
            descriptor: descriptor)
        _ = landlock_allow(ruleset, &rule)
    }

    private static func dropCapabilities() -> Bool {
        var header = __user_cap_header_struct(version: UInt32(_LINUX_CAPABILITY_VERSION_3), pid: 0)
        var sets = [__user_cap_data_struct](repeating: __user_cap_data_struct(), count: 2)
        // This may fail: the unit of a service forbids capset(2) (SystemCallFilter=). The helper of a service
        // that is not root has nothing to give up anyway. Inheritable capabilities have an effect only
        // through file capabilities, which the kernel ignores once no_new_privs is set.
        _ = capset(&header, &sets)
        guard capget(&header, &sets) == 0 else { return false }
        return sets.allSatisfy { $0.effective == 0 && $0.permitted == 0 }
    }

    /// Sets limits (setrlimit(2)): no child processes or threads, no writing of files, no core dump, few
    /// descriptors, and limited memory.
    private static func limit() -> Bool {
        let limits: [(__rlimit_resource, rlim_t)] = [
            (__RLIMIT_NPROC, 0), (RLIMIT_FSIZE, 0), (RLIMIT_CORE, 0), (RLIMIT_NOFILE, Limit.descriptors),
            (RLIMIT_AS, (mapped ?? Limit.unknownStart) + Limit.memory),
        ]
        return limits.allSatisfy { resource, value in
            var limit = rlimit(rlim_cur: value, rlim_max: value)
            return setrlimit(Int32(resource.rawValue), &limit) == 0
        }
    }

    /// The address space that is mapped now, in bytes (/proc/self/statm counts pages). A build with a
    /// sanitizer maps terabytes.
    private static var mapped: rlim_t? {
        let first = SmallFile.line("/proc/self/statm")?.prefix { $0 != " " }
        return first.flatMap { rlim_t($0) }.map { $0 * rlim_t(sysconf(Int32(_SC_PAGESIZE))) }
    }
}
