import Model

extension JSONText {
    /// Decodes a value from its derived coding, which `init(encoding:)` writes.
    ///
    /// Members that the type does not have are ignored. A time is an error if it is farther than `farthest`
    /// from zero.
    /// - Throws: `JSONMismatch` if this is not the coding of such a value.
    func decode<Value: Decodable>(_: Value.Type = Value.self) throws(JSONMismatch) -> Value {
        do {
            return try JSONDecoding(json: self, codingPath: []).decode()
        } catch let mismatch as JSONMismatch {
            throw mismatch
        } catch let DecodingError.dataCorrupted(context), let DecodingError.typeMismatch(_, context),
            let DecodingError.valueNotFound(_, context), let DecodingError.keyNotFound(_, context)
        {
            throw JSONMismatch(.unfit, context.codingPath)
        } catch {
            throw JSONMismatch(.unfit, [])
        }
    }

    /// The largest absolute value of a time in nanoseconds, some 36 years: sums and differences of a few such
    /// times do not overflow.
    static let farthest: Int64 = 1 << 60 - 1
}

/// A type whose missing members have a default.
protocol HasDefaults: Codable {
    static var defaults: Self { get }
}

/// Why JSON is not the coding of the expected value.
struct JSONMismatch: Error, Equatable {
    enum Kind: Equatable {
        case missing
        /// The value is of the wrong kind, or an unknown word.
        case unfit
        case outOfRange
    }

    var kind: Kind
    /// The keys from the outermost to the innermost, joined by dots.
    var path: String

    fileprivate init(_ kind: Kind, _ path: [any CodingKey]) {
        self.kind = kind
        self.path = path.map(\.stringValue).joined(separator: ".")
    }
}

private struct JSONDecoding: Decoder {
    let json: JSONText
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func decode<Value: Decodable>() throws -> Value {
        switch Value.self {
        case is Bool.Type:
            guard case .bool(let value) = json else { throw mismatch(.unfit) }
            return value as! Value
        case is String.Type: return try text() as! Value
        case is UInt64.Type:
            let text = try text()
            guard let value = UInt64(text), String(value) == text else { throw mismatch(.unfit) }
            return value as! Value
        case is Duration.Type: return Duration.nanoseconds(try time()) as! Value
        case is Instant.Type: return Instant(nanoseconds: try time()) as! Value
        case is [UInt8].Type:
            let digits = Array(try text().utf8)
            guard let bytes = Hexadecimal.bytes(of: digits[...]) else { throw mismatch(.unfit) }
            return bytes as! Value
        case let type as any FixedWidthInteger.Type: return try number(type) as! Value
        case let type as any HasDefaults.Type:
            let complete = JSONText(encoding: type.defaults).overlaid(with: json)
            return try Value(from: JSONDecoding(json: complete, codingPath: codingPath))
        default: return try Value(from: self)
        }
    }

    private func text() throws -> String {
        guard case .string(let text) = json else { throw mismatch(.unfit) }
        return text
    }

    private func number<Number: FixedWidthInteger>(_: Number.Type) throws -> Number {
        guard case .integer(let number) = json else { throw mismatch(.unfit) }
        guard let value = Number(exactly: number) else { throw mismatch(.outOfRange) }
        return value
    }

    private func time() throws -> Int64 {
        let time = try number(Int64.self)
        guard (-JSONText.farthest...JSONText.farthest).contains(time) else { throw mismatch(.outOfRange) }
        return time
    }

    fileprivate func mismatch(_ kind: JSONMismatch.Kind) -> JSONMismatch { JSONMismatch(kind, codingPath) }

    func inner(_ json: JSONText, _ key: any CodingKey) -> JSONDecoding {
        JSONDecoding(json: json, codingPath: codingPath + [key])
    }

    func container<Key: CodingKey>(keyedBy _: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let members) = json else { throw mismatch(.unfit) }
        return KeyedDecodingContainer(
            MembersOf(decoding: self, members: Dictionary(members) { first, _ in first }))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let items) = json else { throw mismatch(.unfit) }
        return ItemsOf(decoding: self, items: items)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension JSONDecoding: SingleValueDecodingContainer {
    func decodeNil() -> Bool { json.isNull }
    func decode<Value: Decodable>(_: Value.Type) throws -> Value { try decode() }
}

private struct MembersOf<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoding: JSONDecoding
    let members: [String: JSONText]
    var codingPath: [any CodingKey] { decoding.codingPath }
    var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0) } }

    private func member(_ key: any CodingKey) throws -> JSONDecoding {
        guard let json = members[key.stringValue] else {
            throw decoding.inner(.null, key).mismatch(.missing)
        }
        return decoding.inner(json, key)
    }

    func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try member(key).json.isNull }
    func decode<Value: Decodable>(_: Value.Type, forKey key: Key) throws -> Value {
        try member(key).decode()
    }
    func nestedContainer<Nested: CodingKey>(
        keyedBy keys: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { try member(key).container(keyedBy: keys) }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try member(key).unkeyedContainer()
    }
    func superDecoder() -> any Decoder { decoding }
    func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }
}

private struct ItemsOf: UnkeyedDecodingContainer {
    let decoding: JSONDecoding
    let items: [JSONText]
    var currentIndex = 0
    var codingPath: [any CodingKey] { decoding.codingPath }
    var count: Int? { items.count }
    var isAtEnd: Bool { currentIndex == items.count }

    private struct Position: CodingKey {
        let intValue: Int?
        var stringValue: String { intValue.map(String.init) ?? "" }
        init(intValue: Int) { self.intValue = intValue }
        init?(stringValue _: String) { nil }
    }

    private mutating func next() throws -> JSONDecoding {
        guard !isAtEnd else { throw decoding.mismatch(.missing) }
        defer { currentIndex += 1 }
        return decoding.inner(items[currentIndex], Position(intValue: currentIndex))
    }

    mutating func decodeNil() -> Bool {
        guard !isAtEnd, items[currentIndex].isNull else { return false }
        currentIndex += 1
        return true
    }
    mutating func decode<Value: Decodable>(_: Value.Type) throws -> Value { try next().decode() }
    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy keys: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> { try next().container(keyedBy: keys) }
    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next().unkeyedContainer()
    }
    mutating func superDecoder() throws -> any Decoder { try next() }
}

extension JSONText {
    fileprivate var isNull: Bool { if case .null = self { true } else { false } }

    /// The members of both objects. If both have a member, the member of `other` counts.
    func overlaid(with other: JSONText) -> JSONText {
        guard case .object(let own) = self, case .object(let others) = other else { return other }
        return .object(own.filter { member in !others.contains { $0.0 == member.0 } } + others)
    }

    /// The path of the first member that `other` does not have; nil: there is none.
    func unknownMember(to other: JSONText, _ path: String = "") -> String? {
        switch (self, other) {
        case (.object(let members), .object(let others)):
            let known = Dictionary(others) { first, _ in first }
            for (name, value) in members {
                let place = path.isEmpty ? name : "\(path).\(name)"
                guard let counterpart = known[name] else { return place }
                if let unknown = value.unknownMember(to: counterpart, place) { return unknown }
            }
        case (.array(let items), .array(let others)):
            for (position, (item, counterpart)) in zip(items, others).enumerated() {
                let place = "\(path).\(position)"
                if let unknown = item.unknownMember(to: counterpart, place) { return unknown }
            }
        default: break
        }
        return nil
    }
}
