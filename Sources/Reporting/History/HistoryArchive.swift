/// The stored histories, for clients of the control socket: closures that answer at once.
public struct HistoryArchive {
    /// The next part of a file.
    public enum Piece {
        /// At least one byte; a piece is read in one turn of the event loop.
        case bytes([UInt8])
        /// The data has to come from the disk; try again after ``HistoryReading/pause``.
        case later
        case end
        /// Why it cannot be read.
        case failed(String)
    }

    /// The interfaces with a history: this one, or all of them. nil: it has none, and is not watched. A given
    /// name may be that of no interface.
    public var names: (String?) -> [String]?
    /// Opens the history of one of these names, as it is now.
    public var open: (String) -> () -> Piece
    /// Milliseconds since 1970 of a time in the format of `history --since`; nil: invalid.
    public var instant: (String) -> Int64?
    /// The text (RFC 3339) of a time in milliseconds since 1970.
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
