import Model
import Toggling

// Who had answered where, in a trace.

extension KnownTargets {
    var traceJSON: JSONText { .array(entries.map(\.traceJSON)) }

    init(traceJSON json: JSONText) throws(TraceMistake) {
        self.init(try json.items().map(Entry.init(traceJSON:)))
    }
}

extension KnownTargets.Entry {
    var traceJSON: JSONText {
        .members(
            network.members + [("target", .string(target)), ("answered", .duration(answered - .boot))])
    }

    init(traceJSON json: JSONText) throws(TraceMistake) {
        var object = try TraceObject(json)
        let network = try Network(taking: &object)
        self.init(
            network: network, target: try object.take("target").text(),
            answered: .boot + (try object.take("answered").duration()))
        try object.end()
    }
}
