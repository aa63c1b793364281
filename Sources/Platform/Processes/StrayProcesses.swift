import CLinux
import Glibc

/// Ends processes that hooks and commands leave behind: they have left the process group of the program that
/// started them, and have outlived that program.
///
/// Only a service that is not root does this. A hook that runs as root may start a daemon, which must be
/// allowed to stay.
@MainActor public enum StrayProcesses {
    /// The children that this process has started itself, and has not reaped yet.
    private(set) static var own: Set<pid_t> = []
    private static var isAdopting = false
    private static var again: TimerSource?
    private static let tasks = "/proc/self/task"

    /// Makes the kernel turn orphans among the descendants into children of this process
    /// (PR_SET_CHILD_SUBREAPER, prctl(2)). From then on, these orphans are ended. Does nothing on a kernel
    /// without lists of children (CONFIG_PROC_CHILDREN).
    public static func adopt() { adopt(tasks: tasks, set_child_subreaper) }

    /// - Parameters:
    ///   - tasks: the directory with the threads of this process.
    ///   - becomeSubreaper: makes this process the parent of orphans; returns 0 on success.
    static func adopt(tasks: String, _ becomeSubreaper: () -> Int32) {
        // Without the list, the orphans could not be found. They would stay here as zombies, until no process
        // could be started any more (TasksMax=, systemd.resource-control(5)). Orphans that are not adopted
        // here are reaped by the first process of the machine.
        guard children(of: "\(getpid())", in: tasks) != nil else { return }
        isAdopting = becomeSubreaper() == 0
        again = TimerSource { end() }
    }

    /// Registers a child that is not a stray process.
    public static func isOwn(_ process: pid_t) { own.insert(process) }

    /// Forgets a child that has been reaped. From then on, another process may get its number.
    public static func isReaped(_ process: pid_t) { own.remove(process) }

    /// Kills and reaps all stray processes now, and again in a second, because their parents may still be
    /// running.
    static func endSoon() {
        guard isAdopting else { return }
        _ = endAll()
        again?.schedule(after: .seconds(1))
    }

    /// Repeats `endAll` until no stray process is left. A process that waits for a device inside the kernel
    /// ends only after that wait.
    private static func end() {
        if !endAll() { again?.schedule(after: .seconds(60)) }
    }

    /// - Returns: whether all stray processes have ended.
    private static func endAll() -> Bool {
        guard let children else { return true }
        return children.subtracting(own).reduce(true) { allEnded, stray in
            kill(stray, SIGKILL)
            return waitpid(stray, nil, WNOHANG) == stray && allEnded
        }
    }

    /// The children of this process, including those that have ended but were not reaped
    /// (proc_tid_children(5)); nil if the kernel does not list them all.
    private static var children: Set<pid_t>? {
        var children: Set<pid_t> = []
        let threads = DirectoryListing.of(tasks, atMost: .max)
        for thread in threads {
            guard let list = Self.children(of: thread, in: tasks) else { return nil }
            children.formUnion(list)
        }
        return threads.isEmpty ? nil : children
    }

    /// The children of one thread; nil if the kernel does not list them.
    private static func children(of thread: String, in tasks: String) -> [pid_t]? {
        guard let list = try? SmallFile.text("\(tasks)/\(thread)/children") else { return nil }
        return list.split(separator: " ").compactMap { pid_t($0) }
    }
}
