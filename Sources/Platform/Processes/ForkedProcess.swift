import CLinux
import Glibc

/// Forks this process (fork(2)); the copy runs independently.
///
/// The copy has only the calling thread. A lock that another thread had taken stays locked in the copy for
/// ever. The C library keeps its own locks consistent over a fork. For the Swift runtime, the caller must
/// make sure that no other thread is inside it.
public enum ForkedProcess {
    /// Forks, and runs `child` in the copy with all signals blocked.
    /// - Returns: the process ID of the copy, which the caller reaps (waitpid(2)).
    /// - Throws: the error of fork(2).
    public static func start(_ child: () -> Never) throws(SystemError) -> pid_t {
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        // Block signals before the fork. Otherwise the copy could run this process's signal handlers.
        sigprocmask(SIG_BLOCK, &all, &before)
        defer { sigprocmask(SIG_SETMASK, &before, nil) }
        let process = try check("fork") { fork_this_process() }
        if process == 0 { child() }
        return process
    }

    /// Detaches the copy. Starts a session and process group of its own (setsid(2)), so that neither the end
    /// of the terminal nor a signal to the old group reaches it; sets its name in process lists; changes the
    /// directory to /; and closes all descriptors except these.
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

    /// Asks the kernel, in the copy, to kill other processes first when memory runs out (proc(5),
    /// oom_score_adj). Call it before ``detach(named:keeping:)``, which closes the descriptor that this
    /// opens. Without CAP_SYS_RESOURCE the kernel refuses this, which is harmless.
    public static func askToBeSpared() {
        let descriptor = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC)
        guard descriptor != -1 else { return }
        let lowest = Array("-1000".utf8)
        _ = write(descriptor, lowest, lowest.count)
    }
}
