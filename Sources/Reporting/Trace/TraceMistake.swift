/// Why a line is not a line of a trace. The associated text is mostly the path of a key, joined by dots.
public enum TraceMistake: Error, Equatable, Sendable {
    /// The line is not JSON, or JSON that this program never writes; `position` is the number of bytes before
    /// the error.
    case notJSON(String, position: Int)
    case missing(String)
    case unexpected(String)
    /// The value at this path is of the wrong kind; empty: the line itself is.
    case unfit(String)
    case outOfRange(String)
    case tooLong(bytes: Int)
    /// The line is in the wrong place.
    case misplaced(String)
    case otherVersion(Int64)

    /// The error as one line of printable characters.
    public var description: String {
        switch self {
        case .notJSON(let what, let position): "not the JSON of a trace, after \(position) bytes: \(what)"
        case .missing(let path): "the key '\(Self.shown(path))' is missing"
        case .unexpected(let path): "the key '\(Self.shown(path))' is unknown"
        case .unfit(""): "this line is not a JSON object"
        case .unfit(let path): "the value of '\(Self.shown(path))' is not allowed there"
        case .outOfRange(let path): "the value of '\(Self.shown(path))' is out of range"
        case .tooLong(let bytes):
            "a line of \(bytes) bytes; no line of a trace is longer than \(Trace.longestLine)"
        case .misplaced(let what): what
        case .otherVersion(let version):
            "a trace of version \(version); this program reads version \(Trace.version)"
        }
    }

    private static let longest = 80

    /// Untrusted text, shortened and with only printable characters.
    private static func shown(_ text: String) -> String {
        String(
            decoding: text.utf8.prefix(longest).map { (0x20..<0x7f).contains($0) ? $0 : UInt8(ascii: "?") },
            as: UTF8.self)
    }
}
