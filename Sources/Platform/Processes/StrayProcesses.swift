import CLinux
import Glibc

/// Processes that hooks and commands leave behind: they have left the process group of the program that started them,
/// and outlived it.
///
/// Only for a service that is not root: what a hook of root's starts, such as a daemon of the network, may stay.
@MainActor public enum StrayProcesses {
    /// Children that this process has started itself.
    private static var own: Set<pid_t> = []
    private static var isAdopting = false
    private static var again: TimerSource?

    /// From now on the kernel makes orphans among the descendants children of this process
    /// (PR_SET_CHILD_SUBREAPER, prctl(2)), which ends them.
    public static func adopt() {
        isAdopting = set_child_subreaper() == 0
        again = TimerSource { end() }
    }

    /// A child that is none.
    public static func isOwn(_ process: pid_t) { own.insert(process) }

    /// Kills and reaps all strays, now and, because the processes that they belong to may still be dying, in a second.
    static func endSoon() {
        guard isAdopting else { return }
        _ = endAll()
        again?.schedule(atBootNanoseconds: BootClock.now() + 1_000_000_000)
    }

    /// Until none is left: one that waits in the kernel for a device ends only after that.
    private static func end() {
        if !endAll() { again?.schedule(atBootNanoseconds: BootClock.now() + 60_000_000_000) }
    }

    /// - Returns: whether all have ended.
    private static func endAll() -> Bool {
        guard let children else { return true }
        own.formIntersection(children)
        return children.subtracting(own).reduce(true) { allEnded, stray in
            kill(stray, SIGKILL)
            return waitpid(stray, nil, WNOHANG) == stray && allEnded
        }
    }

    /// Also those that have ended and were not reaped (proc_tid_children(5)); nil: the kernel does not list them all.
    private static var children: Set<pid_t>? {
        var children: Set<pid_t> = []
        let threads = DirectoryListing.of("/proc/self/task", atMost: .max)
        for thread in threads {
            guard let list = try? SmallFile.text("/proc/self/task/\(thread)/children") else { return nil }
            children.formUnion(list.split(separator: " ").compactMap { pid_t($0) })
        }
        return threads.isEmpty ? nil : children
    }
}
