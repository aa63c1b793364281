/// Reads the answers of programs on the system bus as busctl(1) prints them: the signature (D-Bus specification), then
/// the values in the same order, each string in double quotes and with the escapes of C. The answer is not trusted.
struct BusAnswer {
    enum Value: Hashable {
        /// A string or an object path, with its escapes.
        case text(String)
        case flag(Bool)
        case dictionary([String: Value])
        /// A value of any other type; its content is ignored.
        case other
    }

    struct Object: Hashable {
        var path: String
        var properties: [String: Value]
    }

    /// The largest depth of nested values.
    private static let deepest = 8

    private enum Malformed: Error { case answer }

    private enum Word {
        case quoted(String)
        case plain(String)
    }

    private var rest: ArraySlice<UInt8>

    /// The objects of an answer with the signature `a(oa{sv})`; nil: the answer has another signature, or is
    /// malformed.
    static func objects(_ bytes: [UInt8]) -> [Object]? {
        parse(bytes, as: "a(oa{sv})") { (answer) throws(Malformed) in
            var objects: [Object] = []
            for _ in 0..<(try answer.count()) {
                let path = try answer.quoted()
                objects.append(Object(path: path, properties: try answer.dictionary(depth: 0)))
            }
            return objects
        }
    }

    /// The names of all interfaces in an answer with the signature `a{oa{sa{sv}}}`, that is, of all objects below an
    /// ObjectManager; nil: the answer has another signature, or is malformed.
    static func interfaces(_ bytes: [UInt8]) -> Set<String>? {
        parse(bytes, as: "a{oa{sa{sv}}}") { (answer) throws(Malformed) in
            var interfaces: Set<String> = []
            for _ in 0..<(try answer.count()) {
                _ = try answer.quoted()
                for _ in 0..<(try answer.count()) {
                    interfaces.insert(try answer.quoted())
                    _ = try answer.dictionary(depth: 0)
                }
            }
            return interfaces
        }
    }

    /// The values of an answer; nil: the answer has another signature, is malformed, or has more than these values.
    private static func parse<Values>(
        _ bytes: [UInt8], as signature: String, _ read: (inout BusAnswer) throws(Malformed) -> Values
    ) -> Values? {
        var answer = BusAnswer(rest: bytes[...])
        do throws(Malformed) {
            guard try answer.plain() == signature else { return nil }
            let values = try read(&answer)
            return try answer.word() == nil ? values : nil
        } catch {
            return nil
        }
    }

    // MARK: Words

    private mutating func word() throws(Malformed) -> Word? {
        rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
        guard let first = rest.first else { return nil }
        guard first == UInt8(ascii: "\"") else {
            let bytes = rest.prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\n") }
            rest = rest.dropFirst(bytes.count)
            return .plain(try Self.text(bytes))
        }
        let start = rest.startIndex + 1
        var end = start
        while end < rest.endIndex, rest[end] != UInt8(ascii: "\"") {
            end += rest[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard end < rest.endIndex else { throw .answer }
        defer { rest = rest[(end + 1)...] }
        return .quoted(try Self.text(rest[start..<end]))
    }

    private static func text(_ bytes: ArraySlice<UInt8>) throws(Malformed) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .answer }
        return text
    }

    private mutating func plain() throws(Malformed) -> String {
        guard case .plain(let text)? = try word() else { throw .answer }
        return text
    }

    private mutating func quoted() throws(Malformed) -> String {
        guard case .quoted(let text)? = try word() else { throw .answer }
        return text
    }

    /// The number of elements that follow. A number that exceeds the remaining bytes is malformed, because
    /// each element needs at least a byte and a space before it.
    private mutating func count() throws(Malformed) -> Int {
        guard let count = Int(try plain()), (0...rest.count).contains(count) else { throw .answer }
        return count
    }

    // MARK: Values

    /// A value of the type `a{sv}`.
    private mutating func dictionary(depth: Int) throws(Malformed) -> [String: Value] {
        var values: [String: Value] = [:]
        for _ in 0..<(try count()) {
            let key = try quoted()
            let signature = try plain()
            guard values.updateValue(try value(of: signature, depth: depth + 1), forKey: key) == nil else {
                throw .answer
            }
        }
        return values
    }

    /// A value of a variant. The supported types are those of ConnMan's and iwd's properties.
    private mutating func value(of signature: String, depth: Int) throws(Malformed) -> Value {
        guard depth < Self.deepest else { throw .answer }
        switch signature {
        case "s", "o": return .text(try quoted())
        case "b":
            switch try plain() {
            case "true": return .flag(true)
            case "false": return .flag(false)
            default: throw .answer
            }
        case "y", "n", "q", "i", "u", "x", "t", "d":
            _ = try plain()
            return .other
        case "as", "ao":
            for _ in 0..<(try count()) { _ = try quoted() }
            return .other
        case "a{sv}": return .dictionary(try dictionary(depth: depth))
        case "aa{sv}":
            for _ in 0..<(try count()) { _ = try dictionary(depth: depth) }
            return .other
        default: throw .answer
        }
    }
}
