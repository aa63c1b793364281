/// What calls at one moment.
@MainActor public protocol OneShotTimer: AnyObject {
    /// At this moment (nanoseconds of CLOCK_BOOTTIME), in place of an earlier one; a moment in the past comes at once,
    /// though never inside this call.
    func schedule(atBootNanoseconds instant: Int64)
    /// Not at all, until it is scheduled again.
    func cancel()
}
