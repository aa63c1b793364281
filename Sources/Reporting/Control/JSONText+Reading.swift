/// Access to received JSON, for a reader that skips what is missing or invalid.
extension JSONText {
    /// The member with this name; nil: there is none, or this value is not an object.
    subscript(_ key: String) -> JSONText? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.0 == key }?.1
    }

    var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The member's text as a case of the enumeration; nil: the member is missing or is no such word.
    func word<Word: RawRepresentable<String>>(_ key: String, as _: Word.Type) -> Word? {
        self[key]?.string.flatMap { Word(rawValue: $0) }
    }

    /// The texts in the list with this name; empty if the member is missing or no list.
    func texts(_ key: String) -> [String] { self[key]?.elements.compactMap(\.string) ?? [] }

    var isTrue: Bool {
        if case .bool(let flag) = self { flag } else { false }
    }

    var elements: [JSONText] {
        if case .array(let elements) = self { elements } else { [] }
    }

    /// This number of milliseconds as a duration; nil: not a number, negative, or beyond a century.
    var duration: Duration? {
        let longest: Int64 = 100 * 366 * 86_400_000
        switch self {
        case .integer(let milliseconds) where (0...longest).contains(milliseconds):
            return .milliseconds(milliseconds)
        case .thousandths(let microseconds) where (0...longest * 1000).contains(microseconds):
            return .microseconds(microseconds)
        case .null, .bool, .integer, .thousandths, .string, .array, .object: return nil
        }
    }

    /// The whole number; nil: this value is something else.
    var whole: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }

    func whole(in range: ClosedRange<Int64>) -> Int64? { whole.flatMap { range.contains($0) ? $0 : nil } }

    /// This object's verdict with its layer and its reason as one phrase.
    func judgement(_ verdict: String) -> String {
        let place = self["layer"]?.string.map { " at layer \($0)" } ?? ""
        return "\(verdict)\(place)" + (self["reason"]?.string.map { ": \($0)" } ?? "")
    }
}
