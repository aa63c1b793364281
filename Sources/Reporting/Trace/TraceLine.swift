import Model
import Toggling

extension Trace {
    /// One line of a trace.
    enum Line: Hashable {
        case title(program: String)
        case begins(Stamp, Beginning)
        case event(Stamp, Event)
        /// What the toggler of this id decided upon the event above.
        case does(Int, String)

        /// With its end.
        var text: String { json.line + "\n" }

        private var json: JSONText {
            switch self {
            case .title(let program):
                .object([(titleKey, .integer(version)), ("program", .string(program))])
            case .begins(let stamp, let beginning):
                .object(stamp.members + [("begins", beginning.traceJSON)])
            case .event(let stamp, let event): .object(stamp.members + [("event", event.traceJSON)])
            case .does(let id, let words): .object([("id", .number(id)), ("does", .string(words))])
            }
        }

        /// - Parameter bytes: without the line's end.
        init(_ bytes: ArraySlice<UInt8>) throws(TraceMistake) {
            guard bytes.count <= longestLine else { throw .outOfRange("a line of \(bytes.count) octets") }
            var object = try TraceObject(Self.json(bytes))
            if let version = object.takeIfThere(titleKey) {
                let version: Int64 = try version.number()
                guard version == Trace.version else { throw .otherVersion(version) }
                self = .title(program: try object.take("program").text())
            } else if let words = object.takeIfThere("does") {
                self = .does(try object.take("id").number(), try words.text())
            } else {
                let stamp = try Stamp(&object)
                if let beginning = object.takeIfThere("begins") {
                    self = .begins(stamp, try Beginning(traceJSON: beginning))
                } else {
                    self = .event(stamp, try Event(traceJSON: object.take("event")))
                }
            }
            try object.end()
        }

        private static func json(_ bytes: ArraySlice<UInt8>) throws(TraceMistake) -> JSONText {
            do throws(JSONReader.Mistake) {
                return try JSONReader.value(of: bytes)
            } catch {
                throw .notJSON(error.what, position: error.position)
            }
        }
    }
}

extension Trace.Stamp {
    fileprivate var members: [(String, JSONText)] {
        [("at", .instant(at)), ("id", .number(id)), ("interface", .string(interface))]
    }

    fileprivate init(_ object: inout TraceObject) throws(TraceMistake) {
        self.init(
            at: try object.take("at").instant(), id: try object.take("id").number(),
            interface: try object.take("interface").text())
    }
}

extension Trace.Beginning {
    var traceJSON: JSONText {
        .members([
            ("mission", .word(runMode)), ("seed", .wide(seed)),
            ("appeared", appearedAt.map(JSONText.instant)), ("settings", settings.traceJSON),
            ("known", knownTargets.entries.isEmpty ? nil : knownTargets.traceJSON),
            ("bounced", memory.isEmpty ? nil : memory.traceJSON),
            ("place", place == 0 ? nil : .number(place)),
        ])
    }

    init(traceJSON json: JSONText) throws(TraceMistake) {
        var object = try TraceObject(json)
        self.init(
            runMode: try object.take("mission").word("a mission"),
            settings: try Settings(traceJSON: object.take("settings")),
            seed: try object.take("seed").wide(), appearedAt: try object.takeIfThere("appeared")?.instant(),
            knownTargets: try object.takeIfThere("known").map(KnownTargets.init(traceJSON:))
                ?? KnownTargets(),
            memory: try object.takeIfThere("bounced").map(SavedLimiter.init(traceJSON:))
                ?? SavedLimiter(),
            place: try object.takeIfThere("place")?.number() ?? 0)
        try object.end()
    }
}
