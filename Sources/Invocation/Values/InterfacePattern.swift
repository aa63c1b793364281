/// An interface named on the command line or in a section of the configuration file: a name, or a glob
/// such as `wl*`.
public struct InterfacePattern: Hashable, Sendable, CustomStringConvertible {
    /// Why the kernel would not accept the text as an interface name (dev_valid_name in net/core/dev.c).
    public enum Problem: Error, Equatable, Sendable {
        case empty, slash, colon, whiteSpace, dots
        /// The text has more bytes than this. The limit of a glob is not the kernel's.
        case tooLong(limit: Int)
    }

    /// The text as it was given.
    public let text: String

    /// The longest name in bytes (IFNAMSIZ, netdevice(7), without the NUL).
    public static let longestName = 15
    /// The longest glob in bytes; it may be longer than the names that it matches.
    private static let longestGlob = 64

    /// Takes a name of 1 to 15 bytes, or a glob of at most 64 bytes. Neither may contain `/`, `:` or white
    /// space, or be `.` or `..`.
    /// - Throws: the first rule that the text violates.
    public init(_ text: String) throws(Problem) {
        self.text = text
        guard !text.isEmpty else { throw .empty }
        let limit = isGlob ? Self.longestGlob : Self.longestName
        guard text.utf8.count <= limit else { throw .tooLong(limit: limit) }
        guard text != ".", text != ".." else { throw .dots }
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "/"): throw .slash
            case UInt8(ascii: ":"): throw .colon
            // NUL, and the kernel's isspace without the Latin-1 no-break space, which is also a byte of
            // UTF-8.
            case 0, 0x09...0x0d, 0x20: throw .whiteSpace
            default: continue
            }
        }
    }

    /// Whether this is a glob, which may match more than one name: it contains `*`, `?` or `[`.
    public var isGlob: Bool { Self.isGlob(text) }

    static func isGlob(_ text: String) -> Bool { text.utf8.contains { "*?[".utf8.contains($0) } }

    /// Whether the pattern matches the interface with this name.
    public func matches(_ name: String) -> Bool {
        isGlob
            ? Glob.matches(pattern: Array(text.utf8), name: Array(name.utf8)) || name == text : name == text
    }

    public var description: String { text }
}

extension InterfacePattern.Problem {
    /// The problem as the end of a sentence that begins with the name, such as "is empty".
    var description: String {
        switch self {
        case .empty: "is empty"
        case .tooLong(let limit): "is longer than \(limit) bytes"
        case .slash: "has a '/' in it"
        case .colon: "has a ':' in it"
        case .whiteSpace: "has white space in it"
        case .dots: "is not a name"
        }
    }
}
