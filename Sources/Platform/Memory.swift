import CLinux

/// How the C library keeps memory.
public enum Memory {
    /// One arena for all threads: they hold little, seldom at the same time, and each further arena costs a
    /// reservation of 128 MiB, half a dozen system calls and pages that are never given back. To be called
    /// before the first thread is made.
    public static func useOneArena() { _ = mallopt(M_ARENA_MAX, 1) }

    /// Gives back to the system what is free (malloc_trim(3)): what a start needs once, or a look at every process.
    public static func giveBack() { _ = malloc_trim(0) }
}
