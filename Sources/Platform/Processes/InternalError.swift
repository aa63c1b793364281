import CLinux

/// Failed checks of the program itself, such as an index out of range. The Swift runtime ends the process for
/// them by a signal (SIGILL or SIGTRAP).
public enum InternalError {
    /// Lets such a failure end the process with the exit status 70 (EX_SOFTWARE of sysexits(3)), after a line
    /// on standard error. No core is dumped.
    public static func endWithStatus() { end_after_traps() }
}
