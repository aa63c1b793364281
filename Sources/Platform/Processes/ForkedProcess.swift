import CLinux
import Glibc

/// A copy of this process (fork(2)) that runs independently.
///
/// The copy of a process with several threads has only the calling thread; locks of the other threads stay
/// locked in it for ever. The C library keeps its own locks consistent over a fork. The caller must make sure
/// that no other thread is inside the Swift runtime at that time.
public enum ForkedProcess {
    /// Runs `child` in the copy, with all signals blocked.
    /// - Returns: the number of the copy, which the caller reaps (waitpid(2)).
    public static func start(_ child: () -> Never) throws(SystemError) -> pid_t {
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        // Before the fork: otherwise a signal in between would reach this process's handler in the copy too.
        sigprocmask(SIG_BLOCK, &all, &before)
        defer { sigprocmask(SIG_SETMASK, &before, nil) }
        let process = try check("fork") { fork_this_process() }
        if process == 0 { child() }
        return process
    }

    /// In the copy: starts a session and process group of its own, so that neither the end of a terminal nor
    /// a signal to the old group reaches it (setsid(2)); sets its name in process lists; leaves the working
    /// directory; and keeps only these descriptors.
    public static func detach(named name: String, keeping descriptors: [Int32]) {
        setsid()
        _ = chdir("/")
        _ = set_process_name(name)
        var next: UInt32 = 0
        for kept in descriptors.sorted() where kept >= 0 {
            if UInt32(kept) > next { _ = close_range(next, UInt32(kept) - 1, 0) }
            next = max(next, UInt32(kept) + 1)
        }
        _ = close_range(next, .max, 0)
    }

    /// In the copy, before ``detach(named:keeping:)``, which closes what this opens: makes the kernel's
    /// out-of-memory killer prefer other processes (proc(5), oom_score_adj). Without CAP_SYS_RESOURCE it is
    /// refused, which is harmless.
    public static func askToBeSpared() {
        let descriptor = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC)
        guard descriptor != -1 else { return }
        let lowest = Array("-1000".utf8)
        _ = write(descriptor, lowest, lowest.count)
    }
}
