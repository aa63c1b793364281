import Model

/// One client's session on the control socket: it turns received bytes into bytes to send. It does no I/O.
public struct ControlSession {
    /// What the server has to do after it has received bytes.
    public struct Answer {
        public var bytes: [UInt8] = []
        public var isOver = false
        /// Requests to start, in this order. There are several only if the client wants no reply to the first
        /// ones.
        public var requests: [ControlRequest] = []
        public var reading: HistoryReading?
        /// Whether calls are left. If so, call ``ControlSession/take(_:_:)`` without bytes in the next turn
        /// of the loop.
        public var hasMore = false
    }

    /// The most calls that are answered in one turn of the loop, so that other clients have their turn.
    static let mostCalls = 4
    /// Whether the client may act, and not only read.
    public let mayAct: Bool
    private var buffer = MessageBuffer(longest: Varlink.longestCall)
    /// Whether the client receives all events.
    public private(set) var isMonitoring = false
    /// The request for which the client waits; nil: none.
    public private(set) var request: ControlRequest?
    /// The history that is being sent to the client; nil: none.
    private var reading: HistoryReading?
    /// Whether the client receives further messages to an earlier call.
    public var isListening: Bool { isMonitoring || request != nil || reading != nil }

    /// - Parameter mayAct: whether the client may act, and not only read.
    public init(mayAct: Bool) { self.mayAct = mayAct }

    /// Takes received bytes, and answers the first calls among them. An invalid call ends the connection, and
    /// so does a further call while messages to an earlier one are still to come.
    public mutating func take(_ bytes: some Collection<UInt8>, _ service: ControlService) -> Answer {
        guard let messages = buffer.take(bytes, atMost: Self.mostCalls) else { return Answer(isOver: true) }
        var answer = Answer(hasMore: buffer.hasMessage)
        for message in messages {
            guard !isListening, let call = Varlink.Call(message)
            else {
                answer.isOver = true
                break
            }
            // A call that only reads and wants no reply needs no work.
            if call.isOneway, !Self.acts(call.method) { continue }
            let reply = reply(to: call, service)
            if let request { answer.requests.append(request) }
            // A client that wants no reply (`oneway`) gets no reports either.
            if call.isOneway { (request, reading) = (nil, nil) }
            answer.reading = reading
            if !call.isOneway { answer.bytes += reply }
        }
        return answer
    }

    /// The message about an event for a monitoring client.
    public static func bytes(of event: JSONText) -> [UInt8] {
        Varlink.reply([("event", event)], continues: true)
    }

    /// The message about a step for a client that waits; empty: the client does not want steps.
    /// - Parameter progress: what the service waits for; nil: the same as before.
    public func bytes(ofStep lines: [Line], _ progress: Progress? = nil) -> [UInt8] {
        guard let request, request.wantsSteps else { return [] }
        let wait = progress.map {
            JSONText.object([("what", .string($0.what)), ("most_ms", .milliseconds($0.most))])
        }
        return Varlink.reply([("lines", Self.json(lines)), ("wait", wait ?? .null)], continues: true)
    }

    /// The final message of a request. The client may call again.
    /// - Parameter event: the object of the cycle; nil: no cycle has ended.
    public mutating func end(_ lines: [Line], status: Int32, event: JSONText?) -> [UInt8] {
        guard request != nil else { return [] }
        request = nil
        return Varlink.reply([
            ("lines", Self.json(lines)), ("wait", .null), ("status", .integer(Int64(status))),
            ("event", event ?? .null),
        ])
    }

    /// Notes that the history was sent. The client may call again.
    public mutating func endReading() { reading = nil }

    private static func json(_ lines: [Line]) -> JSONText {
        .array(
            lines.map {
                .object([("level", .integer(Int64($0.level.rawValue))), ("text", .string($0.text))])
            })
    }

    private mutating func reply(to call: Varlink.Call, _ service: ControlService) -> [UInt8] {
        do throws(VarlinkError) {
            if call.wantsUpgrade { throw .methodNotImplemented(call.method) }
            let (interface, method) = try Self.parts(of: call.method)
            var parameters = Parameters(call.parameters)
            switch interface {
            case Varlink.service:
                return Varlink.reply(try Self.describe(method, call, &parameters, service))
            case ControlInterface.name:
                guard let method = ControlInterface.Method(rawValue: method) else {
                    throw .methodNotFound(call.method)
                }
                return try perform(method, call, &parameters, service)
            default: throw .interfaceNotFound(interface)
            }
        } catch {
            return Varlink.reply(error)
        }
    }

    private static func acts(_ name: String) -> Bool {
        guard let (interface, method) = try? parts(of: name), interface == ControlInterface.name else {
            return false
        }
        return ControlInterface.Method(rawValue: method)?.acts ?? false
    }

    /// Splits the name of a method at its last dot: the interface is before it, the method after it.
    private static func parts(of name: String) throws(VarlinkError) -> (interface: String, method: String) {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { throw .methodNotFound(name) }
        return (String(name[..<dot]), String(name[name.utf8.index(after: dot)...]))
    }

    // MARK: org.varlink.service

    private static func describe(
        _ method: String, _ call: Varlink.Call, _ parameters: inout Parameters, _ service: ControlService
    ) throws(VarlinkError) -> [(String, JSONText)] {
        switch method {
        case "GetInfo":
            try parameters.end()
            return [
                ("vendor", "wifi-toggler"), ("product", "wifi-toggler"),
                ("version", .string(service.version)), ("url", "man:wifi-toggler(8)"),
                ("interfaces", .array([.string(Varlink.service), .string(ControlInterface.name)])),
            ]
        case "GetInterfaceDescription":
            guard let name = try parameters.text("interface") else { throw .invalidParameter("interface") }
            try parameters.end()
            switch name {
            case Varlink.service: return [("description", .string(ControlInterface.serviceDescription))]
            case ControlInterface.name: return [("description", .string(ControlInterface.description))]
            default: throw .interfaceNotFound(name)
            }
        default: throw .methodNotFound(call.method)
        }
    }

    // MARK: wifitoggler.Control

    private mutating func perform(
        _ method: ControlInterface.Method, _ call: Varlink.Call, _ parameters: inout Parameters,
        _ service: ControlService
    ) throws(VarlinkError) -> [UInt8] {
        if method.acts, !mayAct { throw .permissionDenied }
        switch method {
        case .status:
            let interface = try parameters.text("interface")
            try parameters.end()
            guard let interfaces = service.status(interface) else { throw .notWatched(interface ?? "") }
            return Varlink.reply([("interfaces", .array(interfaces))])
        case .monitor:
            try parameters.end()
            guard call.wantsMore else { throw .expectedMore }
            // A client that wants no reply (`oneway`) gets no events either.
            isMonitoring = !call.isOneway
            return service.lastEvents().flatMap(Self.bytes)
        case .metrics:
            try parameters.end()
            return Varlink.reply([("text", .string(service.metrics()))])
        case .history:
            let interface = try parameters.text("interface")
            let since = try parameters.instant("since", service.history)
            try parameters.end()
            guard let names = service.history.names(interface) else { throw .notWatched(interface ?? "") }
            reading = HistoryReading(service.history, of: names, since: since, wantsMore: call.wantsMore)
            return []
        case .cycle:
            let interface = try parameters.text("interface")
            try parameters.end()
            guard service.cycle(interface) else { throw .notWatched(interface ?? "") }
        case .hold:
            let interface = try parameters.text("interface")
            let seconds = try parameters.number("seconds", in: 0...ControlInterface.longestHold)
            try parameters.end()
            switch service.hold(interface, .seconds(seconds)) {
            case .done: break
            case .notWatched: throw .notWatched(interface ?? "")
            case .notWritten(let reason): throw .notWritten(reason)
            }
        case .toggle:
            let interface = try parameters.text("interface")
            let delay = try parameters.duration("delay_ms", atMost: ControlInterface.longestDelay)
            try parameters.end()
            return try begin(.toggle(delay: delay), interface, call, service)
        case .reconnect:
            let interface = try parameters.text("interface")
            try parameters.end()
            return try begin(.reconnect, interface, call, service)
        }
        return Varlink.reply([])
    }

    /// Begins a request. The last reply comes when it has ended; if the client wants steps, this returns the
    /// first one.
    private mutating func begin(
        _ kind: ControlRequest.Kind, _ interface: String?, _ call: Varlink.Call, _ service: ControlService
    ) throws(VarlinkError) -> [UInt8] {
        guard let interface else { throw .invalidParameter("interface") }
        guard service.watches(interface) else { throw .notWatched(interface) }
        request = ControlRequest(
            kind: kind, interface: interface, wantsSteps: call.wantsMore, wantsReply: !call.isOneway)
        return bytes(ofStep: [])
    }
}

/// The parameters of a call. Each is taken once, and none may be left over.
private struct Parameters {
    private var values: [(name: String, value: JSONText)]

    init(_ values: [(name: String, value: JSONText)]) { self.values = values }

    private mutating func take(_ name: String) -> JSONText? {
        values.firstIndex { $0.name == name }.map { values.remove(at: $0).value }
    }

    /// A text; nil: missing or null.
    mutating func text(_ name: String) throws(VarlinkError) -> String? {
        switch take(name) {
        case nil, .null?: return nil
        case .string(let text)?: return text
        case .bool?, .integer?, .thousandths?, .array?, .object?: throw .invalidParameter(name)
        }
    }

    /// A time as milliseconds since 1970; nil: missing or null.
    mutating func instant(_ name: String, _ archive: HistoryArchive) throws(VarlinkError) -> Int64? {
        guard let text = try text(name) else { return nil }
        guard let instant = archive.instant(text) else { throw .invalidParameter(name) }
        return instant
    }

    mutating func number(_ name: String, in range: ClosedRange<Int64>) throws(VarlinkError) -> Int64 {
        guard case .integer(let number)? = take(name), range.contains(number) else {
            throw .invalidParameter(name)
        }
        return number
    }

    /// A duration, given in milliseconds; nil: missing or null.
    mutating func duration(_ name: String, atMost most: Int64) throws(VarlinkError) -> Duration? {
        switch take(name) {
        case nil, .null?: return nil
        case .integer(let number)? where (0...most).contains(number): return .milliseconds(number)
        case .bool?, .integer?, .thousandths?, .string?, .array?, .object?: throw .invalidParameter(name)
        }
    }

    func end() throws(VarlinkError) {
        if let first = values.first { throw .invalidParameter(first.name) }
    }
}
