import Toggling

// Who had answered where, in a trace.

nonisolated extension Acquaintances {
    var traced: JSONText { .array(entries.map(\.traced)) }

    init(traced json: JSONText) throws(TraceMistake) {
        self.init(try json.items().map(Entry.init(traced:)))
    }
}

nonisolated extension Acquaintances.Entry {
    var traced: JSONText {
        .members(
            network.members + [("target", .string(target)), ("answered", .span(answered - .boot))])
    }

    init(traced json: JSONText) throws(TraceMistake) {
        var object = try TraceObject(json)
        let network = try Network(taking: &object)
        self.init(
            network: network, target: try object.take("target").text(),
            answered: .boot + (try object.take("answered").span()))
        try object.end()
    }
}
