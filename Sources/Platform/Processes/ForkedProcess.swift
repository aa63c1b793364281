import CLinux
import Glibc

/// A copy of this process (fork(2)) that goes its own way.
///
/// A copy of a process with several threads has only the one that called; what the others held locked stays
/// locked in it for ever. The C library keeps its own locks whole over a fork. Whoever forks sees to it that no
/// other thread is inside the Swift runtime at that moment.
public enum ForkedProcess {
    /// Runs `child` in the copy, with all signals blocked there.
    /// - Returns: the number of the copy, which the caller reaps (waitpid(2)).
    public static func start(_ child: () -> Never) throws(SystemError) -> pid_t {
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        // Before the fork: a signal that came in between would reach our handler in the copy too.
        sigprocmask(SIG_BLOCK, &all, &before)
        defer { sigprocmask(SIG_SETMASK, &before, nil) }
        let process = try check("fork") { fork_this_process() }
        if process == 0 { child() }
        return process
    }

    /// In the copy: a session and process group of its own, so that neither the end of a terminal nor a signal
    /// to the old group reaches it (setsid(2)); a name of its own in process lists; no directory held
    /// busy; and of the descriptors only these.
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

    /// In the copy, before ``detach(named:keeping:)``, which closes what this leaves open: the kernel's out-of-memory
    /// killer takes others first (proc(5), oom_score_adj). Without CAP_SYS_RESOURCE it is refused, and nothing is worse
    /// than before.
    public static func askToBeSpared() {
        let descriptor = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC)
        guard descriptor != -1 else { return }
        let lowest = Array("-1000".utf8)
        _ = write(descriptor, lowest, lowest.count)
    }
}
