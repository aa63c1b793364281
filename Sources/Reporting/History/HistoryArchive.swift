/// Access to the stored histories for clients of the control socket, as closures that answer at once.
public struct HistoryArchive {
    /// The result of reading the next piece of a file.
    public enum Piece {
        /// At least one byte, read in one turn of the event loop.
        case bytes([UInt8])
        /// The data is not in memory yet; try again after ``HistoryReading/pause``.
        case later
        case end
        /// The file cannot be read, for this reason.
        case failed(String)
    }

    /// Returns the interfaces with a history: the given one alone, or all if no name is given. The result is
    /// nil if the given interface has no history and is not watched, for example because it does not exist.
    public var names: (String?) -> [String]?
    /// Opens the history of one of these names as it is now, and returns a closure that reads it piece by
    /// piece.
    public var open: (String) -> () -> Piece
    /// Returns the milliseconds since 1970 of a time in the format of `history --since`; nil: the text is
    /// invalid.
    public var instant: (String) -> Int64?
    /// Returns the text (RFC 3339) of a time in milliseconds since 1970.
    public var wallTime: (Int64) -> String

    public init(
        names: @escaping (String?) -> [String]?, open: @escaping (String) -> () -> Piece,
        instant: @escaping (String) -> Int64?, wallTime: @escaping (Int64) -> String
    ) {
        self.names = names
        self.open = open
        self.instant = instant
        self.wallTime = wallTime
    }
}
