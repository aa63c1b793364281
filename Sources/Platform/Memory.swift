import CLinux

/// How the C library keeps memory.
public enum Memory {
    /// One arena for all threads: they hold little, seldom at the same time, and each further arena costs a
    /// reservation of 128 MiB, half a dozen system calls and pages that are never given back. To be called
    /// before the first thread is made.
    public static func useOneArena() { _ = mallopt(M_ARENA_MAX, 1) }

    /// Gives nothing back, nor asks for a little at a time: for a process that soon ends, and asks the kernel for memory once
    /// instead of ten times.
    public static func keepAll() {
        _ = mallopt(M_TRIM_THRESHOLD, plenty)
        _ = mallopt(M_TOP_PAD, plenty)
    }

    /// More than a bounce takes, in octets; what is not touched takes no memory.
    private static let plenty: Int32 = 1 << 20

    /// Gives back to the system what is free (malloc_trim(3)): what a start needs once, or a look at every process.
    public static func giveBack() { _ = malloc_trim(0) }
}
