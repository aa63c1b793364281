/// "Did you mean": finds the known word that a mistyped one stands for.
enum Suggestion {
    /// A word of at least this length may differ in two places, a shorter one in one place.
    private static let longWord = 6
    /// For a shorter word there is no suggestion.
    private static let shortestWord = 2
    /// The number of characters of the typed word that are compared; no known word is longer.
    private static let longestWord = 64

    /// The candidate with the fewest slips: a letter more, less or different, or two neighbouring letters
    /// swapped. If several candidates have equally few, the first one. Case is ignored. nil: none is close
    /// enough.
    static func nearest(to word: String, among candidates: [String]) -> String? {
        let typed = Array(word.prefix(longestWord).lowercased().utf8)
        var best: (word: String, slips: Int)?
        for candidate in candidates {
            let known = Array(candidate.utf8)
            let allowed = allowedSlips(typed: typed, known: known)
            guard abs(typed.count - known.count) <= allowed else { continue }
            let slips = distance(typed, known)
            guard slips <= allowed, slips < best?.slips ?? .max else { continue }
            best = (candidate, slips)
        }
        return best?.word
    }

    private static func allowedSlips(typed: [UInt8], known: [UInt8]) -> Int {
        let length = min(typed.count, known.count)
        guard length >= shortestWord else { return 0 }
        if length >= longWord { return 2 }
        // One slip changes much of a short word. So the first letter must be right, unless the first two were
        // swapped.
        let isSwapped = typed[0] == known[1] && typed[1] == known[0]
        return typed[0] == known[0] || isSwapped ? 1 : 0
    }

    /// The optimal string alignment distance (restricted Damerau-Levenshtein). Both words are short, because
    /// their lengths were compared before.
    private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...other.count)
        for row in one.indices {
            var current = [row + 1]
            for column in other.indices {
                let isSame = one[row] == other[column]
                var cost = min(
                    last[column + 1] + 1, current[column] + 1, last[column] + (isSame ? 0 : 1))
                if row > 0, column > 0, one[row] == other[column - 1], one[row - 1] == other[column] {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current.append(cost)
            }
            beforeLast = last
            last = current
        }
        return last[other.count]
    }
}
