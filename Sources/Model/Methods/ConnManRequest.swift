/// Asks ConnMan to try a network again, by busctl(1) on the system bus. The first call queries which networks
/// ConnMan knows on the interface.
///
/// A network that refuses the key twice gets the property `Error`. From then on, ConnMan does not try this
/// network by itself, even if the key is right again, until the property is cleared (`ClearProperty`) or a
/// user enters the key once more. An idle network without an error is left alone: a user may have
/// disconnected it.
enum ConnManRequest {
    /// The arguments for busctl(1) that query all networks that are in range or in use.
    static let question = call(path: "/", "Manager", "GetServices")

    /// Whether ConnMan has given up on the interface.
    static func hasGivenUp(_ answer: [UInt8], on interface: String) -> Bool {
        refusedNetwork(answer, on: interface) != nil
    }

    static func step(for interface: String, after answers: [[UInt8]]) throws(Failure) -> OwnerRequest.Step {
        guard let answer = answers.first else { return .query(question) }
        guard let path = refusedNetwork(answer, on: interface) else {
            throw Failure(
                kind: .unavailable,
                description: "ConnMan has given up no network, and there is nothing else to ask ConnMan")
        }
        return .order(call(path: path, "Service", "ClearProperty", "s", "Error"))
    }

    /// The object path of the first network that has an error and that a user allows ConnMan to join by
    /// itself; nil: there is none, or ConnMan has joined a network or is joining one.
    private static func refusedNetwork(_ answer: [UInt8], on interface: String) -> String? {
        guard let services = BusAnswer.objects(answer) else { return nil }
        let own = services.filter { service in
            guard service.properties["Type"] == .text("wifi"),
                case .dictionary(let link)? = service.properties["Ethernet"]
            else { return false }
            return link["Interface"] == .text(interface)
        }
        let isIdle = own.allSatisfy { service in
            ["idle", "failure"].contains { service.properties["State"] == .text($0) }
        }
        guard isIdle else { return nil }
        return own.first { service in
            guard case .text(let error)? = service.properties["Error"] else { return false }
            return !error.isEmpty && service.properties["Favorite"] == .flag(true)
                && service.properties["AutoConnect"] == .flag(true) && isPath(service.path)
        }?.path
    }

    private static let pathOfServices = "/net/connman/service/"
    private static let longestPath = 255

    /// Whether this is the path of a service, is not too long, and has only characters that an object path
    /// may have (D-Bus specification).
    private static func isPath(_ path: String) -> Bool {
        path.utf8.count <= longestPath && path.utf8.starts(with: pathOfServices.utf8)
            && path.utf8.dropFirst(pathOfServices.utf8.count).allSatisfy {
                $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "_")
            }
    }

    private static func call(path: String, _ interface: String, _ words: String...) -> [String] {
        let name = "net.connman"
        return ["--system", "--auto-start=no", "call", name, path, "\(name).\(interface)"] + words
    }
}
