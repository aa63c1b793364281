import Model

/// The client's side of the control socket: makes calls, and reads replies.
public enum ControlCall {
    /// Why a reply has no result.
    public enum Problem: Error, Equatable {
        /// The service answered with this error (the name of a Varlink error).
        case refused(String)
        /// The reply is not valid for this call.
        case nonsense
    }

    /// A reply to `Toggle` or `Reconnect`.
    public enum Reply: Sendable {
        /// What was done, and what the service waits for from now on; nil: the same as before.
        case steps([Line], Progress?)
        /// The last reply: the exit status, and the object of the cycle; nil: no cycle has ended.
        case end([Line], status: Int32, JSONText?)
    }

    /// The call for the status of all interfaces.
    public static let status = Varlink.call(ControlInterface.name + ".Status")
    /// The call that subscribes to all events.
    public static let monitor = Varlink.call(ControlInterface.name + ".Monitor", more: true)

    /// The call for the status of one interface. The reply comes at once; it is an error if the service does
    /// not watch the interface.
    public static func question(about interface: String) -> [UInt8] {
        Varlink.call(ControlInterface.name + ".Status", [("interface", .string(interface))])
    }

    /// The call for a bounce.
    /// - Parameter delay: how long the link is kept down; nil: as set in the service's settings.
    public static func toggle(_ interface: String, delay: Duration?) -> [UInt8] {
        let delay: [(String, JSONText)] = delay.map { [("delay_ms", .integer($0.wholeMilliseconds))] } ?? []
        return call(.toggle, [("interface", .string(interface))] + delay)
    }

    /// The call for a check, and a bounce if the link is sick.
    public static func reconnect(_ interface: String) -> [UInt8] {
        call(.reconnect, [("interface", .string(interface))])
    }

    private static func call(
        _ method: ControlInterface.Method, _ parameters: [(String, JSONText)]
    ) -> [UInt8] {
        Varlink.call("\(ControlInterface.name).\(method.rawValue)", parameters, more: true)
    }

    private static func parameters(
        _ reply: ArraySlice<UInt8>
    ) throws(Problem) -> (JSONText, continues: Bool) {
        switch Varlink.Reply(reply) {
        case .parameters(let parameters, let continues)?: return (parameters, continues)
        case .error(let name, _)?: throw .refused(name)
        case nil: throw .nonsense
        }
    }

    /// Reads the objects of the interfaces from a reply to ``status`` or ``question(about:)``.
    /// - Throws: the service answered with an error, or the reply is invalid.
    public static func interfaces(in reply: ArraySlice<UInt8>) throws(Problem) -> [JSONText] {
        guard case .array(let interfaces)? = try parameters(reply).0["interfaces"] else { throw .nonsense }
        return interfaces
    }

    /// Reads the object of an event from a reply to ``monitor``.
    /// - Throws: the service answered with an error, or the reply is invalid.
    public static func event(in reply: ArraySlice<UInt8>) throws(Problem) -> JSONText {
        guard let event = try parameters(reply).0["event"], case .object = event else { throw .nonsense }
        return event
    }

    /// Reads a reply to ``toggle(_:delay:)`` or ``reconnect(_:)``.
    /// - Throws: the service answered with an error, or the reply is invalid.
    public static func reply(_ bytes: ArraySlice<UInt8>) throws(Problem) -> Reply {
        let (parameters, continues) = try parameters(bytes)
        let lines = try lines(parameters["lines"])
        if continues { return .steps(lines, progress(parameters["wait"])) }
        guard let status = parameters["status"]?.whole, let status = Int32(exactly: status),
            statuses.contains(status)
        else { throw .nonsense }
        guard let event = parameters["event"], case .object = event else {
            return .end(lines, status: status, nil)
        }
        return .end(lines, status: status, event)
    }

    private static func progress(_ json: JSONText?) -> Progress? {
        json?["what"]?.string.map { Progress($0, most: json?["most_ms"]?.duration) }
    }

    /// The exit statuses that a process can return (wait(2)).
    private static let statuses: ClosedRange<Int32> = 0...255

    private static func lines(_ json: JSONText?) throws(Problem) -> [Line] {
        guard case .array(let elements)? = json else { throw .nonsense }
        var lines: [Line] = []
        for element in elements {
            guard let number = element["level"]?.whole, let number = Int(exactly: number),
                let level = LogLevel(rawValue: number), let text = element["text"]?.string
            else { throw .nonsense }
            lines.append(Line(level, text))
        }
        return lines
    }
}

extension Duration {
    fileprivate var wholeMilliseconds: Int64 { nanoseconds / 1_000_000 }
}
