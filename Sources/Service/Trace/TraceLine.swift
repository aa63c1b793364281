import Toggling

nonisolated extension Trace {
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
                .object(stamp.members + [("begins", beginning.traced)])
            case .event(let stamp, let event): .object(stamp.members + [("event", event.traced)])
            case .does(let id, let words): .object([("id", .number(id)), ("does", .string(words))])
            }
        }

        /// - Parameter octets: without the line's end.
        init(_ octets: ArraySlice<UInt8>) throws(TraceMistake) {
            guard octets.count <= longestLine else { throw .outOfRange("a line of \(octets.count) octets") }
            var object = try TraceObject(Self.json(octets))
            if let version = object.takeIfThere(titleKey) {
                let version: Int64 = try version.number()
                guard version == Trace.version else { throw .otherVersion(version) }
                self = .title(program: try object.take("program").text())
            } else if let words = object.takeIfThere("does") {
                self = .does(try object.take("id").number(), try words.text())
            } else {
                let stamp = try Stamp(&object)
                if let beginning = object.takeIfThere("begins") {
                    self = .begins(stamp, try Beginning(traced: beginning))
                } else {
                    self = .event(stamp, try Event(traced: object.take("event")))
                }
            }
            try object.end()
        }

        private static func json(_ octets: ArraySlice<UInt8>) throws(TraceMistake) -> JSONText {
            do throws(JSONReader.Mistake) {
                return try JSONReader.value(of: octets)
            } catch {
                throw .notJSON(error.what, position: error.position)
            }
        }
    }
}

nonisolated extension Trace.Stamp {
    fileprivate var members: [(String, JSONText)] {
        [("at", .instant(at)), ("id", .number(id)), ("interface", .string(interface))]
    }

    fileprivate init(_ object: inout TraceObject) throws(TraceMistake) {
        self.init(
            at: try object.take("at").instant(), id: try object.take("id").number(),
            interface: try object.take("interface").text())
    }
}

nonisolated extension Trace.Beginning {
    var traced: JSONText {
        .members([
            ("mission", .word(mission)), ("seed", .wide(seed)),
            ("appeared", appearedAt.map(JSONText.instant)), ("settings", settings.traced),
            ("known", acquaintances.entries.isEmpty ? nil : acquaintances.traced),
            ("bounced", memory.isEmpty ? nil : memory.traced),
            ("place", place == 0 ? nil : .number(place)),
        ])
    }

    init(traced json: JSONText) throws(TraceMistake) {
        var object = try TraceObject(json)
        self.init(
            mission: try object.take("mission").word("a mission"),
            settings: try Settings(traced: object.take("settings")),
            seed: try object.take("seed").wide(), appearedAt: try object.takeIfThere("appeared")?.instant(),
            acquaintances: try object.takeIfThere("known").map(Acquaintances.init(traced:))
                ?? Acquaintances(),
            memory: try object.takeIfThere("bounced").map(RestraintMemory.init(traced:))
                ?? RestraintMemory(),
            place: try object.takeIfThere("place")?.number() ?? 0)
        try object.end()
    }
}
