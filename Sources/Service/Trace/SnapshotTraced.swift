import Toggling

// What a bounce loses and what comes back, in a trace.

nonisolated extension Snapshot {
    var traced: JSONText { .array(items.map(\.traced)) }

    init(traced json: JSONText) throws(TraceMistake) {
        self.init(items: try json.items().map(Item.init(traced:)))
    }
}

nonisolated extension Snapshot.Item {
    var traced: JSONText {
        .members([
            ("kind", .tagged(kind)), ("words", .string(words)), ("admin", .bool(isAdministrators)),
            ("message", .hexadecimal(message)),
        ])
    }

    init(traced json: JSONText) throws(TraceMistake) {
        var object = try TraceObject(json)
        let (kind, nothing) = try object.take("kind").tag("a kind of item", Kind.self)
        try nothing.nothing()
        self.init(
            kind: kind, message: try object.take("message").octets(),
            words: try object.take("words").text(), isAdministrators: try object.take("admin").flag())
        try object.end()
    }
}

nonisolated extension Restoration {
    var traced: JSONText {
        .members([
            ("lost", .array(lost.map { .string($0) })), ("restored", .array(restored.map { .string($0) })),
            ("refused", .array(refused.map(\.traced))),
        ])
    }

    init(traced json: JSONText) throws(TraceMistake) {
        var object = try TraceObject(json)
        self.init(
            lost: try object.take("lost").texts(), restored: try object.take("restored").texts(),
            refused: try object.take("refused").items().map(Refused.init(traced:)))
        try object.end()
    }
}

nonisolated extension Restoration.Refused {
    var traced: JSONText { .members([("words", .string(words)), ("failure", failure.traced)]) }

    init(traced json: JSONText) throws(TraceMistake) {
        var object = try TraceObject(json)
        self.init(
            words: try object.take("words").text(), failure: try Failure(traced: object.take("failure")))
        try object.end()
    }
}

nonisolated extension JSONText {
    fileprivate func texts() throws(TraceMistake) -> [String] {
        try items().map { item throws(TraceMistake) in try item.text() }
    }
}
