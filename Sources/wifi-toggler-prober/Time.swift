extension Duration {
    /// The duration in milliseconds, rounded up, for poll(2) and for the time-outs of libraries.
    var wholeMilliseconds: Int32 {
        let (seconds, attoseconds) = components
        let perMillisecond: Int64 = 1_000_000_000_000_000
        let whole = (attoseconds + perMillisecond - 1) / perMillisecond
        return Int32(clamping: max(0, seconds * 1000 + whole))
    }
}
