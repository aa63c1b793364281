import CLinux
import Glibc

/// How the C library keeps memory (mallopt(3)).
public enum Malloc {
    /// One arena for all threads: they allocate little, and seldom at the same time, and each further arena reserves
    /// 128 MiB of addresses (M_ARENA_MAX). To be called before the first thread is made.
    public static func useOneArena() { _ = mallopt(M_ARENA_MAX, 1) }

    /// Gives free memory back to the system (malloc_trim(3)): after something large was read.
    public static func giveBack() { _ = malloc_trim(0) }
}
