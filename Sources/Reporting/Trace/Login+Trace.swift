import Model
import Toggling

// Who was logged in, who was heard, and the hours in which nobody is to be disturbed, in a trace.

extension Login {
    var traceJSON: JSONText {
        .members([
            ("peer", peer.traceJSON), ("heard", .duration(heard)),
            ("unanswered", isUnanswered ? .bool(true) : nil),
        ])
    }

    init(traceJSON json: JSONText) throws(TraceMistake) {
        var object = try TraceObject(json)
        self.init(
            peer: try IPAddress(traceJSON: object.take("peer")), heard: try object.take("heard").duration(),
            isUnanswered: try object.takeIfThere("unanswered")?.flag() ?? false)
        try object.end()
    }
}

extension Liveness {
    var traceJSON: JSONText {
        .members([("peer", peer.traceJSON), ("manner", .tagged(manner)), ("heard", .duration(heard))])
    }

    init(traceJSON json: JSONText) throws(TraceMistake) {
        var object = try TraceObject(json)
        let (manner, nothing) = try object.take("manner").tag("a sign of life", Manner.self)
        try nothing.nothing()
        self.init(
            peer: try IPAddress(traceJSON: object.take("peer")), manner: manner,
            heard: try object.take("heard").duration())
        try object.end()
    }
}

extension QuietWindow.Weekday {
    fileprivate init(traceJSON json: JSONText) throws(TraceMistake) { self = try json.word("a day") }
}

extension QuietWindow {
    var traceJSON: JSONText {
        .members([
            ("days", .array(Weekday.allCases.filter(days.contains).map { .word($0) })),
            ("start", .number(start)), ("end", .number(end)),
        ])
    }

    private static let lastMinute = 1440

    init(traceJSON json: JSONText) throws(TraceMistake) {
        var object = try TraceObject(json)
        let days = try object.take("days").items().map(Weekday.init(traceJSON:))
        guard !days.isEmpty else { throw .not("at least one day") }
        self.init(
            days: Set(days), start: try object.take("start").number(in: 0...Self.lastMinute - 1),
            end: try object.take("end").number(in: 1...Self.lastMinute))
        try object.end()
    }
}
