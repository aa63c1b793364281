/// How an owner is asked, by its own public interface, to make the connection of an interface anew.
///
/// Only requests that are one to the owner: iwd and ConnMan answer that a network is joined already (Network.Connect of
/// iwd, Service.Connect of ConnMan: "Already connected"), and would have to be told to leave it first, after which both
/// stay away until they are told to join; whoever dies in between leaves the machine without a network. dhclient and
/// dhcpcd (dhcpcd -n) start another process of theirs where they find none, and that is nobody's repair.
public enum OwnerRequest: Hashable, Sendable, CaseIterable {
    /// NetworkManager activates the profile once more that is active now, by its UUID (nmcli(1), `connection up`). Not
    /// `device connect`, which chooses a profile, or makes one; not `device disconnect`, which forbids it to connect by
    /// itself; not `device reapply`, which leaves the association as it is.
    case activation
    /// wpa_supplicant associates anew, by its control socket (``Method/reassociate``).
    case reassociation
    /// systemd-networkd forgets what it has set up and begins again (networkctl(1), `reconfigure`). Not `renew`, which
    /// asks for nothing but the lease.
    case reconfiguration

    /// The name of the program that asks; nil: none is needed.
    public var program: String? {
        switch self {
        case .activation: "nmcli"
        case .reassociation: nil
        case .reconfiguration: "networkctl"
        }
    }

    /// How long the owner may take to say that it has done it, or has begun.
    public var timeout: Duration {
        switch self {
        case .activation: .seconds(Self.activationSeconds + Self.spareSeconds)
        case .reassociation, .reconfiguration: .seconds(Self.spareSeconds)
        }
    }

    /// As long as a bounce may take to settle, by default.
    private static let activationSeconds: Int64 = 30
    /// For what is said at once, on a machine that is busy.
    private static let spareSeconds: Int64 = 5

    /// How long the answer to ``question(about:)`` may take.
    public static let questionTimeout: Duration = .seconds(spareSeconds)

    /// The arguments with which its program is asked first how the owner and the interface stand; nil: no need.
    public func question(about interface: String) -> [String]? {
        switch self {
        case .activation:
            ["--terse", "--fields", "GENERAL.STATE,GENERAL.CON-UUID", "device", "show", interface]
        case .reassociation, .reconfiguration: nil
        }
    }

    /// The arguments with which its program is told.
    /// - Parameter answer: to the question, as it came.
    /// - Throws: the owner was told to leave the interface alone, or the answer makes no sense.
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

    /// What a status other than 0 of its program means: `lost` where the owner may have begun, `unavailable` where
    /// nobody is there who could, `other` where nothing was done.
    /// - Parameter words: what the program said; nil: nothing.
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

    /// In the words of NetworkManager for whoever has no right to it (NM_MANAGER_ERROR_PERMISSION_DENIED).
    private static func tellsOfRefusal(_ words: String) -> Bool {
        ["ot authorized", "nsufficient privileges", "ermission denied"].contains { words.contains(part: $0) }
    }
}

/// How an interface stands with NetworkManager, by the answer of nmcli(1).
private struct Activation {
    /// The UUID of the profile that is active, or about to be.
    let profile: String

    /// From NM_DEVICE_STATE_PREPARE to NM_DEVICE_STATE_ACTIVATED; in the others it was told to leave the interface
    /// alone, or has nothing to join.
    private static let joining = 40...100
    private static let longestUUID = 36

    init(_ answer: [UInt8]) throws(Failure) {
        guard let state = Self.value("GENERAL.STATE", in: answer),
            let number = Int(String(state.unicodeScalars.prefix { $0 != " " }))
        else { throw .nonsense }
        guard Self.joining.contains(number) else {
            throw Failure(kind: .other, words: "NetworkManager is to leave the link alone (\(state))")
        }
        // What somebody else has set up it shows as connected, and would take into its own hands.
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
    /// By bytes.
    fileprivate func contains(part: String) -> Bool {
        let (whole, part) = (Array(utf8), Array(part.utf8))
        guard whole.count >= part.count else { return false }
        return (0...(whole.count - part.count)).contains { whole[$0...].starts(with: part) }
    }
}

extension Ownership {
    /// How whoever manages the interface is asked to make its connection anew: the association before the addresses.
    /// - Throws: `unavailable`, nobody can be asked.
    public func requests() throws(Failure) -> [OwnerRequest] {
        for part in [station, network] where part.isDisputed {
            let names = part.owners.map(\.rawValue).joined(separator: " and ")
            throw Failure(kind: .unavailable, words: "\(names) manage it against each other")
        }
        // Who manages the network with the association in it leaves nothing to the station's.
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
