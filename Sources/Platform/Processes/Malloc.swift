import CLinux
import Glibc

/// Settings of the C library's memory allocator (mallopt(3)).
public enum Malloc {
    /// Uses one arena for all threads (M_ARENA_MAX): they allocate little, seldom at the same time, and each
    /// further arena would reserve 64 MiB of addresses. Call it before the first thread is created.
    public static func useOneArena() { _ = mallopt(M_ARENA_MAX, 1) }

    /// Returns free memory to the system (malloc_trim(3)). Use it after reading something large.
    public static func giveBack() { _ = malloc_trim(0) }
}
