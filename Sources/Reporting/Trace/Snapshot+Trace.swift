import Model
import Toggling

// What a bounce loses and what comes back, in a trace.

extension Snapshot {
    /// Without a keeper the items alone, as they were written before keepers were known.
    var traceJSON: JSONText {
        let items = JSONText.array(items.map(\.traceJSON))
        guard addressOwner != nil || hasNameServers || scanOwner != nil else { return items }
        return .members([
            ("keeper", addressOwner.map { .tagged($0) }), ("items", items),
            ("name-servers", hasNameServers ? .bool(true) : nil), ("scanner", scanOwner.map { .tagged($0) }),
        ])
    }

    init(traceJSON json: JSONText) throws(TraceMistake) {
        guard case .object = json else {
            self.init(items: try json.items().map(Item.init(traceJSON:)))
            return
        }
        var object = try TraceObject(json)
        self.init(
            items: try object.take("items").items().map(Item.init(traceJSON:)),
            addressOwner: try object.takeOwner("keeper"),
            hasNameServers: try object.takeIfThere("name-servers")?.flag() ?? false,
            scanOwner: try object.takeOwner("scanner"))
        try object.end()
    }
}

extension TraceObject {
    /// nil: it is not there.
    fileprivate mutating func takeOwner(_ key: String) throws(TraceMistake) -> Owner? {
        let owner = try takeIfThere(key)?.tag("an owner", Owner.self)
        try owner?.payload.nothing()
        return owner?.kind
    }
}

extension Snapshot.Item {
    var traceJSON: JSONText {
        .members([
            ("kind", .tagged(kind)), ("words", .string(words)), ("admin", .bool(isAdministrators)),
            ("message", .hexadecimal(message)), ("provision", configSource.map { .tagged($0) }),
        ])
    }

    init(traceJSON json: JSONText) throws(TraceMistake) {
        var object = try TraceObject(json)
        let (kind, nothing) = try object.take("kind").tag("a kind of item", Kind.self)
        try nothing.nothing()
        let configSource = try object.takeIfThere("provision")?.tag("a provision", ConfigSource.self)
        try configSource?.payload.nothing()
        self.init(
            kind: kind, message: try object.take("message").bytes(),
            words: try object.take("words").text(), isAdministrators: try object.take("admin").flag(),
            configSource: configSource?.kind)
        try object.end()
    }
}

extension Restoration {
    var traceJSON: JSONText {
        .members([
            ("lost", .array(lost.map { .string($0) })), ("restored", .array(restored.map { .string($0) })),
            ("refused", .array(refused.map(\.traceJSON))),
            ("lacks-name-servers", lacksNameServers ? .bool(true) : nil),
        ])
    }

    init(traceJSON json: JSONText) throws(TraceMistake) {
        var object = try TraceObject(json)
        self.init(
            lost: try object.take("lost").texts(), restored: try object.take("restored").texts(),
            refused: try object.take("refused").items().map(Refused.init(traceJSON:)),
            lacksNameServers: try object.takeIfThere("lacks-name-servers")?.flag() ?? false)
        try object.end()
    }
}

extension Restoration.Refused {
    var traceJSON: JSONText { .members([("words", .string(words)), ("failure", failure.traceJSON)]) }

    init(traceJSON json: JSONText) throws(TraceMistake) {
        var object = try TraceObject(json)
        self.init(
            words: try object.take("words").text(), failure: try Failure(traceJSON: object.take("failure")))
        try object.end()
    }
}

extension JSONText {
    fileprivate func texts() throws(TraceMistake) -> [String] {
        try items().map { item throws(TraceMistake) in try item.text() }
    }
}
