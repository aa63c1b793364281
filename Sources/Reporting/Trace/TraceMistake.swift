/// Why a line is no line of a trace.
public enum TraceMistake: Error, Equatable, Sendable {
    /// What JSON forbids, or this program never writes, and after how many bytes of the line.
    case notJSON(String, position: Int)
    case missing(String)
    case unexpected(String)
    /// What should stand there.
    case not(String)
    case outOfRange(String)
    /// A line that may be right stands in the wrong place.
    case misplaced(String)
    case otherVersion(Int64)

    /// What is wrong, in one line that may be printed anywhere.
    public var words: String {
        switch self {
        case .notJSON(let what, let position): "no JSON of ours after \(position) octets: \(what)"
        case .missing(let key): "the key '\(key)' is missing"
        case .unexpected(let key): "a key that is unknown here: '\(Self.shown(key))'"
        case .not(let what): "this should be \(what)"
        case .outOfRange(let what): "beyond all bounds: \(what)"
        case .misplaced(let what): what
        case .otherVersion(let version): "a trace of version \(version), which this program cannot read"
        }
    }

    private static let longest = 40

    /// From a stranger: short, and nothing but letters that everybody can print.
    private static func shown(_ text: String) -> String {
        String(
            decoding: text.utf8.prefix(longest).map { (0x20..<0x7f).contains($0) ? $0 : UInt8(ascii: "?") },
            as: UTF8.self)
    }
}
