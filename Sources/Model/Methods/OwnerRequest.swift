/// How to ask an owner, through its own public interface, to make the connection of an interface anew.
///
/// Only requests that the owner itself supports. iwd and ConnMan refuse to join a network that is already
/// joined (Network.Connect of iwd, Service.Connect of ConnMan: "Already connected"). They would have to leave
/// it first, and then both stay disconnected until they are told to join; if this process died in between,
/// the machine would have no network. dhclient and dhcpcd (dhcpcd -n) start another process of their own if
/// none is running, which repairs nothing.
public enum OwnerRequest: Hashable, Sendable, CaseIterable {
    /// NetworkManager activates a profile by its UUID (nmcli(1), `connection up`): the active one once more,
    /// or, if NetworkManager has given the interface up, the one that was active last (`NetworkManagerState`).
    /// Not `device connect`, which chooses or creates a profile; not `device disconnect`, which turns off
    /// automatic connections; not `device reapply`, which keeps the association.
    case activation
    /// wpa_supplicant associates anew, through its control socket (``Method/reassociate``); a network that it has
    /// put off is tried at once.
    case reassociation
    /// systemd-networkd drops its configuration and begins again (networkctl(1), `reconfigure`). Not `renew`,
    /// which only requests a lease.
    case reconfiguration

    /// The name of the program that sends the request; nil: none is needed.
    public var program: String? {
        switch self {
        case .activation: "nmcli"
        case .reassociation: nil
        case .reconfiguration: "networkctl"
        }
    }

    /// How long the owner may take to report that it has finished, or has begun.
    public var timeout: Duration {
        switch self {
        case .activation: .seconds(Self.activationSeconds + Self.spareSeconds)
        case .reassociation, .reconfiguration: .seconds(Self.spareSeconds)
        }
    }

    /// The default settle time of a bounce.
    static let activationSeconds: Int64 = 30
    /// For an immediate answer, on a busy machine.
    private static let spareSeconds: Int64 = 5

    /// How long the answer to a query may take.
    public static let queryTimeout: Duration = .seconds(spareSeconds)

    /// What its program is to do next.
    public enum Step: Hashable, Sendable {
        /// To tell a state, which changes nothing; its output is the next answer. The arguments.
        case query([String])
        /// To make the connection. The arguments.
        case order([String])
    }

    /// - Parameter answers: the outputs of the queries so far.
    /// - Throws: the owner was told to leave the interface alone, no network can be joined, or an answer is
    ///   invalid.
    public func step(for interface: String, after answers: [[UInt8]]) throws(Failure) -> Step {
        switch self {
        case .activation: try NetworkManagerState.step(for: interface, after: answers)
        case .reassociation: .order([])
        case .reconfiguration: .order(["reconfigure", interface])
        }
    }

    /// The arguments for its program to tell the condition of the owner; nil: it has no such query.
    public func conditionQuery(on interface: String) -> [String]? {
        switch self {
        case .activation: NetworkManagerState.question(about: interface)
        case .reassociation, .reconfiguration: nil
        }
    }

    /// The condition of the owner.
    /// - Parameter answer: the output of the query.
    /// - Returns: nil: it is at work, or the answer makes no sense.
    public func condition(from answer: [UInt8]) -> OwnerCondition? {
        switch self {
        case .activation:
            NetworkManagerState.condition(from: answer).map { OwnerCondition(.networkManager, $0) }
        case .reassociation, .reconfiguration: nil
        }
    }

    /// The meaning of an exit status other than 0: `lost` if the owner may have begun, `unavailable` if no
    /// owner is there to ask, `other` if nothing was done.
    /// - Parameter description: the program's message; nil: none.
    public func meaning(ofStatus status: Int32, description: String?) -> Failure.Kind {
        switch self {
        case .activation:
            switch status {
            // EXIT STATUS of nmcli(1): a time-out, and an activation that failed; also one that was forbidden.
            case 3: .lost
            case 4: description.map(Self.tellsOfRefusal) == true ? .other : .lost
            // NetworkManager is not running; the profile or the interface is gone.
            case 8, 10: .unavailable
            default: .other
            }
        case .reassociation, .reconfiguration: .other
        }
    }

    /// NetworkManager's message for a caller without permission (NM_MANAGER_ERROR_PERMISSION_DENIED).
    private static func tellsOfRefusal(_ description: String) -> Bool {
        ["ot authorized", "nsufficient privileges", "ermission denied"].contains {
            description.contains(part: $0)
        }
    }
}

extension Ownership {
    /// The requests to the owners of the interface to make its connection anew: the association before the
    /// addresses.
    /// - Throws: `unavailable`: there is no owner to ask.
    public func requests() throws(Failure) -> [OwnerRequest] {
        for part in [station, network] where part.isDisputed {
            let names = part.owners.map(\.rawValue).joined(separator: " and ")
            throw Failure(kind: .unavailable, description: "\(names) manage it against each other")
        }
        // An owner that manages the network including the association needs no separate request for the
        // station.
        let requests =
            network.owners.contains(.networkManager) ? [.activation] : owners.compactMap(\.quirks.request)
        guard requests.isEmpty else { return requests }
        throw Failure(kind: .unavailable, description: reasonForNone)
    }

    private var reasonForNone: String {
        let names = owners.map(\.rawValue).joined(separator: " and ")
        if !names.isEmpty { return "\(names): no request is known that makes the connection anew" }
        return station.isComplete && network.isComplete
            ? "nobody manages it who could be asked" : "it cannot be seen who manages it"
    }
}
