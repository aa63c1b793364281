import CLinux
import Glibc

/// Settings of the C library's memory allocator (mallopt(3)).
public enum Malloc {
    /// One arena for all threads: they allocate little, and seldom at the same time, and each further arena
    /// reserves 128 MiB of addresses (M_ARENA_MAX). Call it before the first thread is created.
    public static func useOneArena() { _ = mallopt(M_ARENA_MAX, 1) }

    /// Returns free memory to the system (malloc_trim(3)): after something large was read.
    public static func giveBack() { _ = malloc_trim(0) }
}
