/// How to ask an owner, through its own public interface, to make the connection of an interface anew.
///
/// Only requests that the owner itself supports. iwd and ConnMan refuse to join a network that is already
/// joined (Network.Connect of iwd, Service.Connect of ConnMan: "Already connected"). They would have to leave
/// it first, and then both stay disconnected until they are told to join; if this process died in between,
/// the machine would have no network. dhclient and dhcpcd (dhcpcd -n) start another process of their own if
/// none is running, which repairs nothing.
public enum OwnerRequest: Hashable, Sendable, CaseIterable {
    /// NetworkManager activates the profile that is active now once more, by its UUID (nmcli(1), `connection
    /// up`). Not `device connect`, which chooses or creates a profile; not `device disconnect`, which turns
    /// off automatic connections; not `device reapply`, which keeps the association.
    case activation
    /// wpa_supplicant associates anew, through its control socket (``Method/reassociate``).
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
    private static let activationSeconds: Int64 = 30
    /// For an immediate answer, on a busy machine.
    private static let spareSeconds: Int64 = 5

    /// How long the answer to ``question(about:)`` may take.
    public static let questionTimeout: Duration = .seconds(spareSeconds)

    /// The arguments for its program to query the state of the owner and the interface; nil: no query is
    /// needed.
    public func question(about interface: String) -> [String]? {
        switch self {
        case .activation:
            ["--terse", "--fields", "GENERAL.STATE,GENERAL.CON-UUID", "device", "show", interface]
        case .reassociation, .reconfiguration: nil
        }
    }

    /// The arguments for its program to send the request.
    /// - Parameter answer: the output of the query.
    /// - Throws: the owner was told to leave the interface alone, or the answer is invalid.
    public func order(for interface: String, after answer: [UInt8]) throws(Failure) -> [String] {
        switch self {
        case .activation:
            let profile = try Activation(answer).profile
            return [
                "--wait", "\(Self.activationSeconds)", "connection", "up", "uuid", profile, "ifname",
                interface,
            ]
        case .reassociation: return []
        case .reconfiguration: return ["reconfigure", interface]
        }
    }

    /// The meaning of an exit status other than 0: `lost` if the owner may have begun, `unavailable` if no
    /// owner is there to ask, `other` if nothing was done.
    /// - Parameter words: the program's message; nil: none.
    public func meaning(ofStatus status: Int32, words: String?) -> Failure.Kind {
        switch self {
        case .activation:
            switch status {
            // EXIT STATUS of nmcli(1): a time-out, and an activation that failed; also one that was forbidden.
            case 3: .lost
            case 4: words.map(Self.tellsOfRefusal) == true ? .other : .lost
            // NetworkManager is not running; the profile or the interface is gone.
            case 8, 10: .unavailable
            default: .other
            }
        case .reassociation, .reconfiguration: .other
        }
    }

    /// NetworkManager's message for a caller without permission (NM_MANAGER_ERROR_PERMISSION_DENIED).
    private static func tellsOfRefusal(_ words: String) -> Bool {
        ["ot authorized", "nsufficient privileges", "ermission denied"].contains { words.contains(part: $0) }
    }
}

/// NetworkManager's state of an interface, from the output of nmcli(1).
private struct Activation {
    /// The UUID of the profile that is active, or about to be.
    let profile: String

    /// From NM_DEVICE_STATE_PREPARE to NM_DEVICE_STATE_ACTIVATED; in the other states NetworkManager was told
    /// to leave the interface alone, or has no network to join.
    private static let joining = 40...100
    private static let longestUUID = 36

    init(_ answer: [UInt8]) throws(Failure) {
        guard let state = Self.value("GENERAL.STATE", in: answer),
            let number = Int(String(state.unicodeScalars.prefix { $0 != " " }))
        else { throw .nonsense }
        guard Self.joining.contains(number) else {
            throw Failure(kind: .other, words: "NetworkManager is to leave the link alone (\(state))")
        }
        // NetworkManager shows as connected what another program has configured, and a request would make it
        // take over.
        guard !state.contains(part: "externally") else {
            throw Failure(kind: .unavailable, words: "NetworkManager did not make this connection (\(state))")
        }
        guard let profile = Self.value("GENERAL.CON-UUID", in: answer), Self.isUUID(profile) else {
            throw .nonsense
        }
        self.profile = profile
    }

    private static func value(_ key: String, in answer: [UInt8]) -> String? {
        let head = Array("\(key):".utf8)
        let line = answer.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: head) }
        return line.flatMap { String(validating: $0.dropFirst(head.count), as: UTF8.self) }
    }

    private static func isUUID(_ text: String) -> Bool {
        (1...longestUUID).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: "-")
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte) || byte == UInt8(ascii: "-")
            }
    }
}

extension Failure {
    fileprivate static let nonsense = Failure(
        kind: .other, words: "nmcli's answer makes no sense (GENERAL.STATE, GENERAL.CON-UUID)")
}

extension String {
    /// Compares bytes.
    fileprivate func contains(part: String) -> Bool {
        let (whole, part) = (Array(utf8), Array(part.utf8))
        guard whole.count >= part.count else { return false }
        return (0...(whole.count - part.count)).contains { whole[$0...].starts(with: part) }
    }
}

extension Ownership {
    /// The requests to the owners of the interface to make its connection anew: the association before the
    /// addresses.
    /// - Throws: `unavailable`: there is no owner to ask.
    public func requests() throws(Failure) -> [OwnerRequest] {
        for part in [station, network] where part.isDisputed {
            let names = part.owners.map(\.rawValue).joined(separator: " and ")
            throw Failure(kind: .unavailable, words: "\(names) manage it against each other")
        }
        // An owner that manages the network including the association needs no separate request for the
        // station.
        let requests =
            network.owners.contains(.networkManager) ? [.activation] : owners.compactMap(\.quirks.request)
        guard requests.isEmpty else { return requests }
        throw Failure(kind: .unavailable, words: reasonForNone)
    }

    private var reasonForNone: String {
        let names = owners.map(\.rawValue).joined(separator: " and ")
        if !names.isEmpty { return "\(names): no request is known that makes the connection anew" }
        return station.isComplete && network.isComplete
            ? "nobody manages it who could be asked" : "it cannot be seen who manages it"
    }
}
