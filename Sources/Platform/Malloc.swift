import CLinux
import Glibc

/// How the C library keeps memory.
public enum Malloc {
    /// One arena for all threads: they hold little, seldom at the same time, and each further arena costs a
    /// reservation of 128 MiB, half a dozen system calls and pages that are never given back. To be called
    /// before the first thread is made.
    public static func useOneArena() {
        _ = mallopt(M_ARENA_MAX, 1)
        _ = firstThread
    }

    /// Gives nothing back, nor asks for a little at a time: for a process that soon ends, and asks the kernel for memory once
    /// instead of ten times.
    public static func keepAll() {
        _ = mallopt(M_TRIM_THRESHOLD, 2 * plenty)
        _ = mallopt(M_TOP_PAD, plenty)
        _ = mallopt(M_MMAP_THRESHOLD, plenty)
    }

    /// More than a bounce takes, in bytes; what is not touched takes no memory.
    private static let plenty: Int32 = 1 << 20

    /// Gives back to the system what is free (malloc_trim(3)), and the code that was run: what a start needs once, or a
    /// bounce, or a check at every process.
    public static func giveBack() {
        _ = malloc_trim(0)
        giveBackStack()
        giveBackCode()
    }

    /// That which begins with ``useOneArena()``.
    private static let firstThread = pthread_self()
    /// What is looked at below the present frame, in bytes: less than the kernel keeps free below a stack that grows
    /// (stack_guard_gap, 1 MiB), so that nothing else can be there.
    private static let stackSpan = 256 << 10
    /// Stays: the frames of the call itself.
    private static let stackMargin = 16 << 10

    /// The stack of the first thread keeps every page that it ever reached into. Below the present frame nothing is in use
    /// (madvise(2), MADV_DONTNEED); below what was ever used there is nothing, which is told as ENOMEM and does no harm.
    private static func giveBackStack() {
        // Another thread's stack may end anywhere.
        guard pthread_equal(pthread_self(), firstThread) != 0 else { return }
        let page = Int(getpagesize())
        let end = (Int(bitPattern: present_frame()) - stackMargin) / page * page
        madvise(UnsafeMutableRawPointer(bitPattern: end - stackSpan), stackSpan, MADV_DONTNEED)
    }

    /// Code stays in the kernel's cache of files, and is mapped again where it is run again (madvise(2), MADV_DONTNEED): of
    /// seven megabytes that a start has touched a check needs a third.
    private static func giveBackCode() {
        let page = Int(getpagesize())
        let start = (Int(bitPattern: start_of_code()) + page - 1) / page * page
        let end = Int(bitPattern: end_of_code()) / page * page
        guard start < end else { return }
        madvise(UnsafeMutableRawPointer(bitPattern: start), end - start, MADV_DONTNEED)
    }
}
