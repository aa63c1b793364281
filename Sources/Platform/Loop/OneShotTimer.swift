/// A timer that fires once.
@MainActor public protocol OneShotTimer: AnyObject {
    /// Sets it to this time (nanoseconds of CLOCK_BOOTTIME), in place of an earlier one; a time in the past
    /// fires at once, though never inside this call.
    func schedule(atBootNanoseconds instant: Int64)
    /// Stops it until it is scheduled again.
    func cancel()
}
