/// How to ask an owner, through its own public interface, to make the connection of an interface anew.
///
/// The type has only requests after which the owner restores the connection without further help. iwd and
/// ConnMan refuse to join a network that is already joined (Network.Connect of iwd, Service.Connect of
/// ConnMan: "Already connected"). The program would first have to make them leave that network, and they then
/// stay disconnected until they are told to join. If this process died in between, the machine would have no
/// network. So ConnMan is asked only when it has given up: then it has left the network already. dhclient and
/// dhcpcd are not asked: if no process of theirs is running, their commands (such as `dhcpcd -n`) start one,
/// which repairs nothing.
public enum OwnerRequest: Hashable, Sendable, CaseIterable {
    /// NetworkManager activates a profile by its UUID (nmcli(1), `connection up`): the active profile once
    /// more, or, if NetworkManager has given the interface up, the one that was active last
    /// (`NetworkManagerRequest`). The program does not use `device connect`, which chooses or creates a
    /// profile; nor `device disconnect`, which turns off automatic connections; nor `device reapply`, which
    /// keeps the association.
    case activation
    /// wpa_supplicant associates anew, on a request through its control socket (``Method/reassociate``).
    /// wpa_supplicant then also tries at once a network whose next attempt it had delayed.
    case reassociation
    /// systemd-networkd drops its configuration of the interface and makes it anew (networkctl(1),
    /// `reconfigure`). `renew` would only request a lease.
    case reconfiguration
    /// The error because of which ConnMan has given up a network is cleared (`ClearProperty` of
    /// net.connman.Service), so that ConnMan joins the network by itself (``ConnManRequest``). `Connect`
    /// would ask an agent, that is a user, for the key.
    case errorClearance

    /// The name of the program that sends the request; nil: none is needed.
    public var program: String? {
        switch self {
        case .activation: "nmcli"
        case .reassociation: nil
        case .reconfiguration: "networkctl"
        case .errorClearance: "busctl"
        }
    }

    /// The longest time until the owner reports that it has carried out the request or, for some owners, that
    /// it has begun to.
    public var timeout: Duration {
        switch self {
        case .activation: .seconds(Self.activationSeconds + Self.spareSeconds)
        case .reassociation, .reconfiguration, .errorClearance: .seconds(Self.spareSeconds)
        }
    }

    /// How long nmcli waits for the activation; the same as the default settle time of a bounce.
    static let activationSeconds: Int64 = 30
    /// The margin for a busy machine. It is also the time-out of a request that the owner answers at once.
    private static let spareSeconds: Int64 = 5

    /// The time-out of a query.
    public static let queryTimeout: Duration = .seconds(spareSeconds)

    /// The next call of the program that sends the request.
    public enum Step: Hashable, Sendable {
        /// A query, with these arguments. It changes nothing, and its output is the next answer.
        case query([String])
        /// The request itself, with these arguments.
        case order([String])
    }

    /// The next step of this request.
    /// - Parameter answers: the outputs of the queries so far.
    /// - Throws: the owner was told to leave the interface alone, has no network to join, is in a state in
    ///   which it is not asked, or an answer is invalid.
    public func step(for interface: String, after answers: [[UInt8]]) throws(Failure) -> Step {
        switch self {
        case .activation: try NetworkManagerRequest.step(for: interface, after: answers)
        case .reassociation: .order([])
        case .reconfiguration: .order(["reconfigure", interface])
        case .errorClearance: try ConnManRequest.step(for: interface, after: answers)
        }
    }

    /// The arguments with which the program queries the condition of the owner; nil: there is no such query.
    public func conditionQuery(on interface: String) -> [String]? {
        switch self {
        case .activation: NetworkManagerRequest.question(about: interface)
        case .reconfiguration: NetworkdState.question(about: interface)
        case .errorClearance: ConnManRequest.question
        case .reassociation: nil
        }
    }

    /// The condition of the owner that an answer shows.
    /// - Parameter answer: the output of the query.
    /// - Returns: the condition; nil: the answer shows none, or is invalid.
    public func condition(from answer: [UInt8], on interface: String) -> OwnerCondition? {
        switch self {
        case .activation:
            NetworkManagerRequest.condition(from: answer).map { OwnerCondition(.networkManager, $0) }
        case .reconfiguration:
            NetworkdState.hasFailed(answer, on: interface) ? OwnerCondition(.networkd, .gaveUp) : nil
        case .errorClearance:
            ConnManRequest.hasGivenUp(answer, on: interface) ? OwnerCondition(.connman, .gaveUp) : nil
        case .reassociation: nil
        }
    }

    /// The meaning of an exit status other than 0: `lost` if the owner may have begun, `unavailable` if no
    /// owner is there to ask, `other` if nothing was done.
    /// - Parameter description: the program's message; nil: none.
    public func meaning(ofStatus status: Int32, description: String?) -> Failure.Kind {
        switch self {
        case .activation:
            switch status {
            // EXIT STATUS of nmcli(1): 3 is a time-out. 4 is an activation that failed or was not permitted.
            case 3: .lost
            case 4: description.map(Self.tellsOfRefusal) == true ? .other : .lost
            // 8: NetworkManager is not running. 10: the profile or the interface is gone.
            case 8, 10: .unavailable
            default: .other
            }
        case .reassociation, .reconfiguration, .errorClearance: .other
        }
    }

    /// Whether this is NetworkManager's message for a caller without permission
    /// (NM_MANAGER_ERROR_PERMISSION_DENIED).
    private static func tellsOfRefusal(_ description: String) -> Bool {
        ["ot authorized", "nsufficient privileges", "ermission denied"].contains {
            description.contains(part: $0)
        }
    }
}

extension Ownership {
    /// The requests that make the owners of the interface renew its connection, the association before the
    /// addresses.
    /// - Throws: `unavailable`: no owner is known that can be asked, or two owners compete.
    public func requests() throws(Failure) -> [OwnerRequest] {
        for part in [station, network] where part.isDisputed {
            let names = part.owners.map(\.rawValue).joined(separator: ", ")
            throw Failure(
                kind: .unavailable, description: "several programs manage it (\(names)), so none is asked")
        }
        // If the manager also manages the association, no separate request goes to the station's owner.
        let manager = network.owners.first(where: \.managesAssociation)
        let requests = (manager.map { [$0] } ?? owners).compactMap(\.quirks.request)
        guard requests.isEmpty else { return requests }
        throw Failure(kind: .unavailable, description: reasonForNone)
    }

    private var reasonForNone: String {
        let names = owners.map(\.rawValue).joined(separator: " and ")
        if !names.isEmpty { return "\(names) cannot be asked to connect again" }
        return station.isComplete && network.isComplete
            ? "no program manages it, so none can be asked to connect again"
            : "it is not known which program manages it"
    }
}
