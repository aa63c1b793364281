/// Shell patterns over bytes: `*`, `?`, `[a-z]`, `[!a-z]`. They match as in fnmatch(3), but independently of
/// the locale, and without classes such as `[:digit:]` and escapes by a backslash.
enum Glob {
    /// Whether the pattern matches the whole name. The number of steps is at most the length of the pattern
    /// times that of the name, because only the last `*` is ever retried.
    static func matches(pattern: [UInt8], name: [UInt8]) -> Bool {
        var here = 0
        var position = 0
        var retry: (pattern: Int, position: Int)?
        while position < name.count {
            if here < pattern.count, pattern[here] == UInt8(ascii: "*") {
                retry = (here + 1, position)
                here += 1
            } else if let next = matchOne(pattern, at: here, name[position]) {
                here = next
                position += 1
            } else if let again = retry {
                retry = (again.pattern, again.position + 1)
                here = again.pattern
                position = again.position + 1
            } else {
                return false
            }
        }
        return pattern[here...].allSatisfy { $0 == UInt8(ascii: "*") }
    }

    /// Matches one byte. Returns the position after the part of the pattern that matches; nil: none does.
    private static func matchOne(_ pattern: [UInt8], at start: Int, _ byte: UInt8) -> Int? {
        guard start < pattern.count else { return nil }
        switch pattern[start] {
        case UInt8(ascii: "?"):
            return start + 1
        case UInt8(ascii: "["):
            guard let set = ByteSet(pattern, at: start) else {
                // Without a closing bracket, `[` is an ordinary character.
                return byte == pattern[start] ? start + 1 : nil
            }
            return set.contains(byte) ? set.end : nil
        default:
            return byte == pattern[start] ? start + 1 : nil
        }
    }
}

/// The set of bytes that brackets in a pattern describe.
private struct ByteSet {
    private var ranges: [(first: UInt8, last: UInt8)] = []
    private var isNegated = false
    /// The position after the closing bracket.
    var end: Int

    /// Parses the brackets at a position; nil: the closing bracket is missing.
    init?(_ pattern: [UInt8], at start: Int) {
        end = start + 1
        if end < pattern.count, pattern[end] == UInt8(ascii: "!") || pattern[end] == UInt8(ascii: "^") {
            isNegated = true
            end += 1
        }
        let first = end
        while end < pattern.count {
            // A closing bracket in the first place stands for itself.
            if pattern[end] == UInt8(ascii: "]"), end > first {
                end += 1
                return
            }
            let isRange =
                end + 2 < pattern.count && pattern[end + 1] == UInt8(ascii: "-")
                && pattern[end + 2] != UInt8(ascii: "]")
            ranges.append((pattern[end], isRange ? pattern[end + 2] : pattern[end]))
            end += isRange ? 3 : 1
        }
        return nil
    }

    func contains(_ byte: UInt8) -> Bool {
        ranges.contains { $0.first <= byte && byte <= $0.last } != isNegated
    }
}
