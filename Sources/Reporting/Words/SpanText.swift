/// Durations as text for people.
extension Duration {
    /// The duration in at most two units, rounded down: `850ms`, `3s`, `1.5s`, `2m 5s`, `1h 3m`, `2d 4h`.
    public var text: String {
        // A sum of durations may be too long for nanoseconds.
        let (seconds, attoseconds) = components
        let milliseconds = attoseconds / 1_000_000_000_000_000
        if seconds < 1 {
            return attoseconds > 0 && milliseconds == 0 ? "<1ms" : "\(seconds * 1000 + milliseconds)ms"
        }
        if seconds < 10, milliseconds >= 100 { return "\(seconds).\(milliseconds / 100)s" }
        if seconds < 60 { return "\(seconds)s" }
        if seconds < 3600 { return Self.pair(seconds, 60, "m", "s") }
        if seconds < 86400 { return Self.pair(seconds / 60, 60, "h", "m") }
        return Self.pair(seconds / 3600, 24, "d", "h")
    }

    private static func pair(_ count: Int64, _ size: Int64, _ large: String, _ small: String) -> String {
        count % size == 0 ? "\(count / size)\(large)" : "\(count / size)\(large) \(count % size)\(small)"
    }
}
