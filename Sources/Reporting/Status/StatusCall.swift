/// The client's side of `Status`: the call and its reply.
public enum StatusCall {
    public enum Problem: Error, Equatable {
        /// The name of the service's error.
        case refused(String)
        /// It is no valid reply to this call.
        case nonsense
    }

    public static let bytes = Varlink.call(ControlInterface.name + ".Status")
    /// The call that subscribes to every event.
    public static let monitoring = Varlink.call(ControlInterface.name + ".Monitor", more: true)

    /// The object of an event.
    public static func event(in reply: ArraySlice<UInt8>) throws(Problem) -> JSONText {
        switch Varlink.Reply(reply) {
        case .parameters(let parameters, _)?:
            guard let event = parameters["event"], case .object = event else { throw .nonsense }
            return event
        case .error(let name, _)?: throw .refused(name)
        case nil: throw .nonsense
        }
    }

    /// The objects of the interfaces.
    public static func interfaces(in reply: ArraySlice<UInt8>) throws(Problem) -> [JSONText] {
        switch Varlink.Reply(reply) {
        case .parameters(let parameters, _)?:
            guard case .array(let interfaces)? = parameters["interfaces"] else { throw .nonsense }
            return interfaces
        case .error(let name, _)?: throw .refused(name)
        case nil: throw .nonsense
        }
    }
}
