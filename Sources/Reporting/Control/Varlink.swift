/// The Varlink protocol (varlink.org): JSON objects, each terminated by a zero byte. Input from the other
/// side is untrusted.
public enum Varlink {
    /// The byte that terminates each message.
    static let end: UInt8 = 0
    /// The longest call in bytes; a longer one is rejected.
    public static let longestCall = 1 << 16
    /// The longest reply in bytes: room for the state of hundreds of interfaces.
    public static let longestReply = 1 << 22

    /// The name of the interface that every service has.
    static let service = "org.varlink.service"

    /// A client's call.
    struct Call {
        var method: String
        var parameters: [(name: String, value: JSONText)]
        /// Whether the client accepts several replies (`more`).
        var wantsMore: Bool
        /// Whether the client wants no reply (`oneway`).
        var isOneway: Bool
        /// Whether the client wants to change to another protocol on the same connection (`upgrade`).
        var wantsUpgrade: Bool

        /// Parses a call; nil: it is invalid.
        init?(_ bytes: ArraySlice<UInt8>) {
            guard let json = try? JSONReader.value(of: bytes), case .object(let members) = json,
                case .string(let method)? = json["method"]
            else { return nil }
            self.method = method
            parameters = []
            (wantsMore, isOneway, wantsUpgrade) = (false, false, false)
            for (name, value) in members {
                switch (name, value) {
                case ("parameters", .object(let values)): parameters = values.map { ($0.0, $0.1) }
                case ("more", .bool(let flag)): wantsMore = flag
                case ("oneway", .bool(let flag)): isOneway = flag
                case ("upgrade", .bool(let flag)): wantsUpgrade = flag
                case ("parameters", .null), ("more", .null), ("oneway", .null), ("upgrade", .null): break
                case ("parameters", _), ("more", _), ("oneway", _), ("upgrade", _): return nil
                default: break
                }
            }
        }
    }

    /// A service's reply.
    public enum Reply: Sendable {
        case parameters(JSONText, continues: Bool)
        case error(String, JSONText)

        /// Parses a reply; nil: it is invalid.
        public init?(_ bytes: ArraySlice<UInt8>) {
            guard let json = try? JSONReader.value(of: bytes), case .object = json else { return nil }
            let parameters = json["parameters"] ?? .object([])
            guard case .object = parameters else { return nil }
            switch json["error"] {
            case nil, .null?:
                self = .parameters(parameters, continues: json["continues"]?.isTrue ?? false)
            case .string(let name)?: self = .error(name, parameters)
            case .bool?, .integer?, .thousandths?, .array?, .object?: return nil
            }
        }
    }

    public static func call(
        _ method: String, _ parameters: [(String, JSONText)] = [], more: Bool = false
    ) -> [UInt8] {
        let flags: [(String, JSONText)] = more ? [("more", .bool(true))] : []
        return message([("method", .string(method)), ("parameters", .object(parameters))] + flags)
    }

    static func reply(_ parameters: [(String, JSONText)], continues: Bool = false) -> [UInt8] {
        message(
            [("parameters", .object(parameters))] + (continues ? [("continues", .bool(true))] : []))
    }

    static func reply(_ error: VarlinkError) -> [UInt8] {
        message([("error", .string(error.name)), ("parameters", .object(error.parameters))])
    }

    private static func message(_ members: [(String, JSONText)]) -> [UInt8] {
        Array(JSONText.object(members).line.utf8) + [end]
    }
}

/// Why a call was refused: the name of the error and its parameters.
struct VarlinkError: Error {
    let name: String
    private(set) var parameters: [(String, JSONText)] = []

    // The errors of every Varlink service.
    static func interfaceNotFound(_ name: String) -> VarlinkError {
        general("InterfaceNotFound", "interface", name)
    }
    static func methodNotFound(_ name: String) -> VarlinkError { general("MethodNotFound", "method", name) }
    static func methodNotImplemented(_ name: String) -> VarlinkError {
        general("MethodNotImplemented", "method", name)
    }
    static func invalidParameter(_ name: String) -> VarlinkError {
        general("InvalidParameter", "parameter", name)
    }
    static let permissionDenied = VarlinkError(name: Varlink.service + ".PermissionDenied")
    static let expectedMore = VarlinkError(name: Varlink.service + ".ExpectedMore")
    // The errors of this service.
    static func notWatched(_ name: String) -> VarlinkError { own("NotWatched", "interface", name) }
    static func notWritten(_ reason: String) -> VarlinkError { own("NotWritten", "reason", reason) }
    static func notRead(_ reason: String) -> VarlinkError { own("NotRead", "reason", reason) }

    private static func general(_ error: String, _ key: String, _ value: String) -> VarlinkError {
        VarlinkError(name: "\(Varlink.service).\(error)", parameters: [(key, .string(value))])
    }

    private static func own(_ error: String, _ key: String, _ value: String) -> VarlinkError {
        VarlinkError(name: "\(ControlInterface.name).\(error)", parameters: [(key, .string(value))])
    }
}
