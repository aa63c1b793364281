import Toggling

// What a bounce loses and what comes back, in a trace.

nonisolated extension Snapshot {
    /// Without a keeper the items alone, as they were written before keepers were known.
    var traced: JSONText {
        let items = JSONText.array(items.map(\.traced))
        guard keeper != nil || hasNameServers || scanner != nil else { return items }
        return .members([
            ("keeper", keeper.map { .tagged($0) }), ("items", items),
            ("name-servers", hasNameServers ? .bool(true) : nil), ("scanner", scanner.map { .tagged($0) }),
        ])
    }

    init(traced json: JSONText) throws(TraceMistake) {
        guard case .object = json else {
            self.init(items: try json.items().map(Item.init(traced:)))
            return
        }
        var object = try TraceObject(json)
        self.init(
            items: try object.take("items").items().map(Item.init(traced:)),
            keeper: try object.takeOwner("keeper"),
            hasNameServers: try object.takeIfThere("name-servers")?.flag() ?? false,
            scanner: try object.takeOwner("scanner"))
        try object.end()
    }
}

nonisolated extension TraceObject {
    /// nil: it is not there.
    fileprivate mutating func takeOwner(_ key: String) throws(TraceMistake) -> Owner? {
        let owner = try takeIfThere(key)?.tag("an owner", Owner.self)
        try owner?.payload.nothing()
        return owner?.kind
    }
}

nonisolated extension Snapshot.Item {
    var traced: JSONText {
        .members([
            ("kind", .tagged(kind)), ("words", .string(words)), ("admin", .bool(isAdministrators)),
            ("message", .hexadecimal(message)), ("provision", provision.map { .tagged($0) }),
        ])
    }

    init(traced json: JSONText) throws(TraceMistake) {
        var object = try TraceObject(json)
        let (kind, nothing) = try object.take("kind").tag("a kind of item", Kind.self)
        try nothing.nothing()
        let provision = try object.takeIfThere("provision")?.tag("a provision", Provision.self)
        try provision?.payload.nothing()
        self.init(
            kind: kind, message: try object.take("message").octets(),
            words: try object.take("words").text(), isAdministrators: try object.take("admin").flag(),
            provision: provision?.kind)
        try object.end()
    }
}

nonisolated extension Restoration {
    var traced: JSONText {
        .members([
            ("lost", .array(lost.map { .string($0) })), ("restored", .array(restored.map { .string($0) })),
            ("refused", .array(refused.map(\.traced))),
            ("lacks-name-servers", lacksNameServers ? .bool(true) : nil),
        ])
    }

    init(traced json: JSONText) throws(TraceMistake) {
        var object = try TraceObject(json)
        self.init(
            lost: try object.take("lost").texts(), restored: try object.take("restored").texts(),
            refused: try object.take("refused").items().map(Refused.init(traced:)),
            lacksNameServers: try object.takeIfThere("lacks-name-servers")?.flag() ?? false)
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
