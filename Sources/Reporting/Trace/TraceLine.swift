import Model
import Toggling

extension Trace {
    /// One line of a trace, as written and as read.
    indirect enum Line: Hashable {
        case title(program: String)
        case begins(Stamp, Beginning)
        case event(Stamp, Event)
        /// A decision of the toggler with this id on the last event: the derived coding of an effect. It is
        /// only compared, so effects need no decoding.
        case does(Int, String)

        /// The line with its line feed.
        var text: String {
            switch self {
            case .title(let program): Self.text(Title(version: version, program: program))
            case .begins(let stamp, let beginning): Self.text(Stamped(stamp, begins: beginning))
            case .event(let stamp, let event): Self.text(Stamped(stamp, event: event))
            case .does(let id, let effect): "{\"id\":\(id),\"does\":\(effect)}\n"
            }
        }

        /// Parses one line.
        /// - Parameter bytes: the line without its line feed.
        init(_ bytes: ArraySlice<UInt8>) throws(TraceMistake) {
            guard bytes.count <= longestLine else { throw .tooLong(bytes: bytes.count) }
            let json = try Self.json(bytes)
            guard case .object(let members) = json else { throw .unfit("") }
            if members.contains(where: { $0.0 == titleKey }) {
                guard case .integer(let written)? = members.first(where: { $0.0 == titleKey })?.1 else {
                    throw .unfit(titleKey)
                }
                guard written == version else { throw .otherVersion(written) }
                let title: Title = try Self.value(json)
                self = .title(program: title.program)
            } else if let effect = members.first(where: { $0.0 == "does" })?.1 {
                let id: Decided = try Self.value(.object(members.filter { $0.0 != "does" }))
                self = .does(id.id, effect.line)
            } else {
                let line: Stamped = try Self.value(json)
                guard line.at >= .boot else { throw .outOfRange("at") }
                let stamp = Stamp(at: line.at, id: line.id, interface: line.interface)
                switch (line.begins, line.event) {
                case (let beginning?, nil):
                    try beginning.check()
                    self = .begins(stamp, beginning)
                case (nil, let event?):
                    try event.check()
                    self = .event(stamp, event)
                case (nil, nil): throw .missing("event")
                case (_?, _?): throw .unexpected("event")
                }
            }
        }

        private static func text(_ line: some Encodable) -> String { JSONText(encoding: line).line + "\n" }

        private static func json(_ bytes: ArraySlice<UInt8>) throws(TraceMistake) -> JSONText {
            do throws(JSONReader.Mistake) {
                return try JSONReader.value(of: bytes)
            } catch {
                throw .notJSON(error.what, position: error.position)
            }
        }

        /// Decodes a value that has no unknown members.
        private static func value<Value: Codable>(_ json: JSONText) throws(TraceMistake) -> Value {
            let value: Value
            do throws(JSONMismatch) { value = try json.decode() } catch {
                switch error.kind {
                case .missing: throw .missing(error.path)
                case .unfit: throw .unfit(error.path)
                case .outOfRange: throw .outOfRange(error.path)
                }
            }
            if let path = json.unknownMember(to: JSONText(encoding: value)) { throw .unexpected(path) }
            return value
        }
    }
}

// MARK: The members of each line

private struct Title: Codable {
    var version: Int64
    var program: String

    enum CodingKeys: String, CodingKey {
        case version = "wifi-toggler-trace"
        case program
    }
}

/// A line with the start of a toggler or an event, exactly one of the two.
private struct Stamped: Codable {
    var at: Instant
    var id: Int
    var interface: String
    var begins: Trace.Beginning?
    var event: Event?

    init(_ stamp: Trace.Stamp, begins: Trace.Beginning? = nil, event: Event? = nil) {
        at = stamp.at
        id = stamp.id
        interface = stamp.interface
        self.begins = begins
        self.event = event
    }
}

private struct Decided: Codable {
    var id: Int
}
