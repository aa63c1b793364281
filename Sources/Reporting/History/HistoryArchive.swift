/// The histories that are kept, for who asks for them on the control socket: closures that answer at once.
public struct HistoryArchive {
    /// What is read next of a file.
    public enum Piece {
        /// At least one byte; a piece is read in one turn of the event loop.
        case bytes([UInt8])
        /// The disk has to be waited for; to be asked again after ``HistoryReading/pause``.
        case later
        case end
        /// Why it cannot be read.
        case failed(String)
    }

    /// The interfaces that something is kept of: this one, or all of them. nil: nothing is kept of it, nor is
    /// it watched. A name that is given may be none of an interface.
    public var names: (String?) -> [String]?
    /// Opens the history of one of these names, as it is now.
    public var open: (String) -> () -> Piece
    /// Milliseconds since 1970 of a moment as `history --since` takes it; nil: it is none.
    public var instant: (String) -> Int64?
    /// The text (RFC 3339) of a moment in milliseconds since 1970.
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
