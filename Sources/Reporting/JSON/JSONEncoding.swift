import Model

extension JSONText {
    /// Encodes the value in its derived coding (`Encodable`). Times are nanoseconds, and bytes are
    /// hexadecimal digits. Unsigned 64-bit numbers are text, because other JSON parsers would round them. Nil
    /// members are left out. A set is sorted by the text of its items, so that equal values have equal texts.
    init(encoding value: some Encodable) {
        let node = Node()
        node.encode(value)
        self = node.json
    }
}

/// Receives one part of the value while it is encoded.
private final class Node: Encoder {
    private enum Kind { case value, members, items }

    private var kind = Kind.value
    private var value = JSONText.null
    private var members: [(String, Node)] = []
    private var items: [Node] = []
    /// Always empty: it serves only to say where an encoding failed, and no encoding fails here.
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    var json: JSONText {
        switch kind {
        case .value: value
        case .members: .object(members.map { ($0.0, $0.1.json) })
        case .items: .array(items.map(\.json))
        }
    }

    func encode<Value: Encodable>(_ value: Value) {
        switch value {
        case let value as Bool: self.value = .bool(value)
        case let value as String: self.value = .string(value)
        case let value as UInt64: self.value = .string(String(value))
        case let value as any FixedWidthInteger: self.value = .integer(Int64(clamping: value))
        case let value as Duration: self.value = .integer(value.nanoseconds)
        case let value as Instant: self.value = .integer(value.nanoseconds)
        // Compare the type, too: `as [UInt8]` also accepts an empty array of another type.
        case let value as [UInt8] where Value.self == [UInt8].self:
            self.value = .string(String(decoding: Hexadecimal.digits(of: value), as: UTF8.self))
        default:
            // No `encode(to:)` of this program throws.
            try? value.encode(to: self)
            if value is any SetAlgebra { items.sort { $0.json.line < $1.json.line } }
        }
    }

    /// The node for this member.
    func member(_ name: String) -> Node {
        let node = Node()
        members.append((name, node))
        return node
    }

    /// The node for the next item.
    func item() -> Node {
        let node = Node()
        items.append(node)
        return node
    }

    var count: Int { items.count }

    func container<Key: CodingKey>(keyedBy _: Key.Type) -> KeyedEncodingContainer<Key> {
        kind = .members
        return KeyedEncodingContainer(Members(node: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        kind = .items
        return Items(node: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension Node: SingleValueEncodingContainer {
    func encodeNil() {}
}

private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: Node
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) { _ = node.member(key.stringValue) }
    func encode(_ value: some Encodable, forKey key: Key) { node.member(key.stringValue).encode(value) }
    func nestedContainer<Nested: CodingKey>(
        keyedBy keys: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { node.member(key.stringValue).container(keyedBy: keys) }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        node.member(key.stringValue).unkeyedContainer()
    }
    func superEncoder() -> any Encoder { node.member("super") }
    func superEncoder(forKey key: Key) -> any Encoder { node.member(key.stringValue) }
}

private struct Items: UnkeyedEncodingContainer {
    let node: Node
    var codingPath: [any CodingKey] { [] }
    var count: Int { node.count }

    func encodeNil() { _ = node.item() }
    func encode(_ value: some Encodable) { node.item().encode(value) }
    func nestedContainer<Nested: CodingKey>(keyedBy keys: Nested.Type) -> KeyedEncodingContainer<Nested> {
        node.item().container(keyedBy: keys)
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { node.item().unkeyedContainer() }
    func superEncoder() -> any Encoder { node.item() }
}
