import Model

extension JSONText {
    /// The value's derived coding (`Encodable`). Times are nanoseconds, bytes are hexadecimal digits, numbers of 64 bits
    /// without a sign are text, because other readers of JSON would round them. What is nil is left out, and a set is
    /// in the order of its items' texts: equal values have equal texts.
    init(encoding value: some Encodable) {
        let node = Node()
        node.encode(value)
        self = node.json
    }
}

/// Where a part of the value goes while it is taken apart.
private final class Node: Encoder {
    private enum Content {
        case none
        case value(JSONText)
        case members([(String, Node)])
        case items([Node])
    }

    private var content = Content.none
    /// Not kept: nothing that is encoded here can fail.
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    var json: JSONText {
        switch content {
        case .none: .null
        case .value(let value): value
        case .members(let members): .object(members.map { ($0.0, $0.1.json) })
        case .items(let items): .array(items.map(\.json))
        }
    }

    func encode<Value: Encodable>(_ value: Value) {
        switch value {
        case let value as Bool: content = .value(.bool(value))
        case let value as String: content = .value(.string(value))
        case let value as UInt64: content = .value(.string(String(value)))
        case let value as any FixedWidthInteger: content = .value(.integer(Int64(clamping: value)))
        case let value as Duration: content = .value(.integer(value.nanoseconds))
        case let value as Instant: content = .value(.integer(value.nanoseconds))
        // An empty array of whatever else can be cast, too.
        case let value as [UInt8] where Value.self == [UInt8].self:
            content = .value(.string(String(decoding: Hexadecimal.digits(of: value), as: UTF8.self)))
        default: take(apart: value)
        }
    }

    private func take(apart value: some Encodable) {
        // No coding of ours throws.
        try? value.encode(to: self)
        if value is any SetAlgebra, case .items(let items) = content {
            content = .items(items.sorted { $0.json.line < $1.json.line })
        }
    }

    /// The place of this member.
    func member(_ name: String) -> Node {
        let node = Node()
        var members: [(String, Node)] = []
        if case .members(let known) = content { members = known }
        content = .members(members + [(name, node)])
        return node
    }

    /// The place of the next item.
    func item() -> Node {
        let node = Node()
        var items: [Node] = []
        if case .items(let known) = content { items = known }
        content = .items(items + [node])
        return node
    }

    var count: Int { if case .items(let items) = content { items.count } else { 0 } }

    func container<Key: CodingKey>(keyedBy _: Key.Type) -> KeyedEncodingContainer<Key> {
        if case .none = content { content = .members([]) }
        return KeyedEncodingContainer(Members(node: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        content = .items([])
        return Items(node: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Single(node: self) }
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

private struct Single: SingleValueEncodingContainer {
    let node: Node
    var codingPath: [any CodingKey] { [] }

    func encodeNil() {}
    func encode(_ value: some Encodable) { node.encode(value) }
}
