import Model
import Toggling

/// The members of an object in a trace, each to be taken once, none to be left over.
struct TraceObject {
    private var members: [String: JSONText]

    init(_ json: JSONText) throws(TraceMistake) {
        guard case .object(let members) = json else { throw .not("an object") }
        self.members = Dictionary(members) { first, _ in first }
    }

    mutating func take(_ key: String) throws(TraceMistake) -> JSONText {
        guard let value = members.removeValue(forKey: key) else { throw .missing(key) }
        return value
    }

    /// nil: it is not there.
    mutating func takeIfThere(_ key: String) -> JSONText? { members.removeValue(forKey: key) }

    /// To be called when all has been taken.
    func end() throws(TraceMistake) {
        if let key = members.keys.min() { throw .unexpected(key) }
    }
}

extension JSONText {
    /// The members that are there: what is nil is not written.
    static func members(_ members: [(String, JSONText?)]) -> JSONText {
        .object(members.compactMap { name, value in value.map { (name, $0) } })
    }

    /// A case of an enumeration: its name, or its name and what belongs to it.
    static func tagged(_ kind: some RawRepresentable<String>, _ payload: JSONText? = nil) -> JSONText {
        payload.map { .object([(kind.rawValue, $0)]) } ?? .string(kind.rawValue)
    }

    /// What `tagged` wrote. A payload that is missing, or not wanted, is a mistake of whoever takes it.
    func tag<Kind: RawRepresentable<String>>(
        _ what: String, _: Kind.Type
    ) throws(TraceMistake) -> (kind: Kind, payload: JSONText) {
        switch self {
        case .string(let name):
            guard let kind = Kind(rawValue: name) else { throw .not(what) }
            return (kind, .null)
        case .object(let members) where members.count == 1:
            guard let kind = Kind(rawValue: members[0].0) else { throw .not(what) }
            return (kind, members[0].1)
        case .null, .bool, .integer, .thousandths, .array, .object: throw .not(what)
        }
    }

    /// The name of what `tagged` wrote.
    var caseName: String {
        switch self {
        case .string(let name): name
        case .object(let members): members.first?.0 ?? ""
        case .null, .bool, .integer, .thousandths, .array: ""
        }
    }

    /// A case that has nothing with it, by its name in the source: a renamed one makes the recorded traces of the
    /// tests unreadable.
    static func word(_ value: some CaseIterable) -> JSONText { .string(String(describing: value)) }

    func word<Value: CaseIterable>(_ what: String, _: Value.Type = Value.self) throws(TraceMistake) -> Value {
        let word = try text()
        guard let value = Value.allCases.first(where: { String(describing: $0) == word }) else {
            throw .not(what)
        }
        return value
    }

    func text() throws(TraceMistake) -> String {
        guard case .string(let text) = self else { throw .not("a text") }
        return text
    }

    func flag() throws(TraceMistake) -> Bool {
        guard case .bool(let flag) = self else { throw .not("true or false") }
        return flag
    }

    func items() throws(TraceMistake) -> [JSONText] {
        guard case .array(let items) = self else { throw .not("a list") }
        return items
    }

    /// Nothing is there, and nothing is wanted.
    func nothing() throws(TraceMistake) {
        guard case .null = self else { throw .not("nothing") }
    }

    /// A whole number that fits its type and its range.
    func number<Value: FixedWidthInteger>(
        in range: ClosedRange<Value> = .min ... .max
    ) throws(TraceMistake) -> Value {
        guard case .integer(let number) = self else { throw .not("a whole number") }
        guard let value = Value(exactly: number), range.contains(value) else {
            throw .outOfRange(String(number))
        }
        return value
    }

    /// - Parameter value: of less than 64 bits, or signed.
    static func number(_ value: some FixedWidthInteger) -> JSONText { .integer(Int64(clamping: value)) }

    /// 64 bits without a sign, which other readers of JSON would round: as text.
    static func wide(_ value: UInt64) -> JSONText { .string(String(value)) }

    func wide() throws(TraceMistake) -> UInt64 {
        let text = try text()
        guard let value = UInt64(text), String(value) == text else { throw .not("a number of 64 bits") }
        return value
    }

    // MARK: Time

    /// Sums and differences of times in this range do not overflow: some 146 years, in nanoseconds.
    private static let farthest: Int64 = 1 << 62 - 1

    static func instant(_ instant: Instant) -> JSONText { .integer(instant.nanoseconds) }

    func instant() throws(TraceMistake) -> Instant {
        Instant(nanoseconds: try number(in: 0...Self.farthest))
    }

    static func duration(_ duration: Duration) -> JSONText { .integer(duration.nanoseconds) }

    func duration(atLeast least: Duration? = nil, atMost most: Duration? = nil) throws(TraceMistake)
        -> Duration
    {
        .nanoseconds(
            try number(
                in: (least?.nanoseconds ?? -Self.farthest)...(most?.nanoseconds ?? Self.farthest)))
    }
}
