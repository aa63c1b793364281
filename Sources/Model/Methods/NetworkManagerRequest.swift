/// Asks NetworkManager to activate a profile on an interface, by nmcli(1). The first call queries the state
/// of the interface, and the profile is chosen from the answer.
struct NetworkManagerRequest {
    /// The names of nmcli's fields. In terse output, each is followed by a colon and the value.
    private enum Key: String, CaseIterable {
        case state = "GENERAL.STATE"
        case reason = "GENERAL.REASON"
        case autoconnect = "GENERAL.AUTOCONNECT"
        case profile = "GENERAL.CON-UUID"
    }

    private enum State {
        /// This profile is active, or is being activated.
        case active(profile: String)
        /// No profile is active, although no user wanted that.
        case gaveUp
        /// A user told NetworkManager to disconnect.
        case disconnectedByUser
        /// NetworkManager may not connect by itself (`nmcli device set INTERFACE autoconnect no`). It also
        /// reports this after a user's disconnect, when another reason has replaced that of the user.
        case notAutomatic
    }

    private let state: State
    /// The UUIDs of the profiles that could be activated now, because their network is in range
    /// (AvailableConnections of org.freedesktop.NetworkManager.Device).
    private let available: Set<String>

    static func step(for interface: String, after answers: [[UInt8]]) throws(Failure) -> OwnerRequest.Step {
        guard let device = answers.first else { return .query(Self.question(about: interface)) }
        let facts = try Self(device)
        switch facts.state {
        case .active(let profile): return activate(profile, on: interface)
        case .gaveUp:
            guard !facts.available.isEmpty else {
                throw Failure(
                    kind: .other, description: "none of the networks that NetworkManager knows is in range")
            }
            guard answers.count > 1 else { return .query(profilesQuestion) }
            return activate(try facts.lastActive(of: answers[1], freeFor: interface), on: interface)
        case .disconnectedByUser: throw .leftDisconnected(interface)
        case .notAutomatic: throw .notAutomatic(interface)
        }
    }

    /// Finds out whether NetworkManager will connect an interface by itself.
    /// - Parameter answer: nmcli's answer to ``question(about:)``.
    /// - Returns: why NetworkManager will not connect by itself; nil: it is connected or connecting, none of
    ///   its networks is in range, NetworkManager does not manage it, or the answer is invalid.
    static func condition(from answer: [UInt8]) -> OwnerCondition.Kind? {
        guard let facts = try? Self(answer) else { return nil }
        switch facts.state {
        case .active: return nil
        case .gaveUp: return facts.available.isEmpty ? nil : .gaveUp
        case .disconnectedByUser, .notAutomatic: return .toldToDisconnect
        }
    }

    /// The arguments for nmcli(1) that query the state of an interface.
    static func question(about interface: String) -> [String] {
        let fields = Key.allCases.map(\.rawValue) + [availableKey]
        return ["--terse", "--fields", fields.joined(separator: ","), "device", "show", interface]
    }

    private static let profilesQuestion = [
        "--terse", "--fields", "UUID,TIMESTAMP,AUTOCONNECT,DEVICE", "connection", "show",
    ]
    private static let availableKey = "CONNECTIONS.AVAILABLE-CONNECTIONS"

    private static func activate(_ profile: String, on interface: String) -> OwnerRequest.Step {
        let seconds = "\(OwnerRequest.activationSeconds)"
        return .order(["--wait", seconds, "connection", "up", "uuid", profile, "ifname", interface])
    }

    // MARK: The interface

    /// NM_DEVICE_STATE_PREPARE to NM_DEVICE_STATE_ACTIVATED (nm-dbus-interface.h).
    private static let joining = 40...100
    /// NM_DEVICE_STATE_DISCONNECTED and NM_DEVICE_STATE_FAILED. In the states that are neither these nor
    /// `joining`, NetworkManager does not manage the interface, its radio is off, or it is just being
    /// disconnected.
    private static let disconnected: Set<Int> = [30, 120]
    /// NM_DEVICE_STATE_REASON_USER_REQUESTED: a user has disconnected the interface.
    private static let userRequested = 39

    private init(_ answer: [UInt8]) throws(Failure) {
        let lines = Self.lines(of: answer)
        guard let state = Self.value(.state, in: lines), let number = Self.number(state) else {
            throw .nonsense(Key.state.rawValue)
        }
        available = Set(lines.compactMap(Self.availableProfile))
        if Self.joining.contains(number) {
            // NetworkManager also reports a connection that another program has configured. A request would
            // make NetworkManager take over that connection.
            guard !state.contains(part: "externally") else {
                throw Failure(
                    kind: .unavailable,
                    description: "NetworkManager is not asked, because another program made the connection:"
                        + " its state is \(state)")
            }
            guard let profile = Self.value(.profile, in: lines), Self.isUUID(profile) else {
                throw .nonsense(Key.profile.rawValue)
            }
            self.state = .active(profile: profile)
            return
        }
        guard Self.disconnected.contains(number) else { throw .unready(state) }
        guard let reason = Self.value(.reason, in: lines), let reasonNumber = Self.number(reason) else {
            throw .nonsense(Key.reason.rawValue)
        }
        if reasonNumber == Self.userRequested {
            self.state = .disconnectedByUser
        } else if Self.value(.autoconnect, in: lines) != "yes" {
            self.state = .notAutomatic
        } else {
            self.state = .gaveUp
        }
    }

    // MARK: The profiles

    /// The UUID of the profile that was active last, among those that are in range and may be activated
    /// automatically. A profile that was never active is not tried: its network has never worked here. Neither
    /// is one that is active on another interface, which NetworkManager would disconnect.
    /// - Parameter answer: a line for each profile: its UUID, when it was last active in seconds since the
    ///   epoch, whether it may be activated automatically, and the interface on which it is active.
    private func lastActive(of answer: [UInt8], freeFor interface: String) throws(Failure) -> String {
        var last: (profile: String, time: Int64)?
        for line in Self.lines(of: answer) {
            let parts = line.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 4, Self.isUUID(parts[0]), let time = Int64(parts[1]) else {
                // nmcli prints warnings among its answers.
                continue
            }
            guard available.contains(parts[0]), parts[2] == "yes", ["", interface].contains(parts[3]),
                time > last?.time ?? 0
            else { continue }
            last = (parts[0], time)
        }
        guard let last else {
            throw Failure(
                kind: .other,
                description:
                    "NetworkManager has no profile for a network in range that was active before, may"
                    + " connect automatically, and is not active on another interface")
        }
        return last.profile
    }

    // MARK: Reading

    private static let longestUUID = 36

    private static func lines(of answer: [UInt8]) -> [String] {
        answer.split(separator: UInt8(ascii: "\n")).compactMap { String(validating: $0, as: UTF8.self) }
    }

    private static func value(_ key: Key, in lines: [String]) -> String? {
        let head = "\(key.rawValue):"
        let line = lines.first { $0.utf8.starts(with: head.utf8) }
        // By Unicode scalars: one Character may contain the colon and a combining scalar after it.
        return line.map { String($0.unicodeScalars.dropFirst(head.unicodeScalars.count)) }
    }

    /// The number at the start of a value such as `100 (connected)`.
    private static func number(_ value: String) -> Int? {
        Int(String(value.unicodeScalars.prefix { $0 != " " }))
    }

    /// The UUID in a line `CONNECTIONS.AVAILABLE-CONNECTIONS[1]:UUID | NAME`.
    private static func availableProfile(_ line: String) -> String? {
        guard line.utf8.starts(with: "\(availableKey)[".utf8) else { return nil }
        let value = line.unicodeScalars.drop { $0 != ":" }.dropFirst()
        let profile = String(value.prefix { $0 != " " })
        return isUUID(profile) ? profile : nil
    }

    private static func isUUID(_ text: String) -> Bool {
        (1...longestUUID).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: "-")
            && text.utf8.allSatisfy { byte in
                byte.isASCIIDigit
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte) || byte == UInt8(ascii: "-")
            }
    }
}

extension Failure {
    fileprivate static func nonsense(_ key: String) -> Failure {
        Failure(
            kind: .other, description: "nmcli sent an answer that this program does not understand (\(key))")
    }

    fileprivate static func unready(_ state: String) -> Failure {
        Failure(
            kind: .other,
            description: "NetworkManager cannot connect it in the state \(state); see 'nmcli device'")
    }

    fileprivate static func leftDisconnected(_ interface: String) -> Failure {
        Failure(
            kind: .other,
            description: "a user told NetworkManager to leave it disconnected"
                + " (run 'sudo nmcli device connect \(interface)')")
    }

    fileprivate static func notAutomatic(_ interface: String) -> Failure {
        Failure(
            kind: .other,
            description: "NetworkManager is set not to connect it automatically"
                + " (run 'sudo nmcli device connect \(interface)')")
    }
}

extension String {
    /// Whether the bytes of this text contain those of `part`.
    func contains(part: String) -> Bool {
        let (whole, part) = (Array(utf8), Array(part.utf8))
        guard whole.count >= part.count else { return false }
        return (0...(whole.count - part.count)).contains { whole[$0...].starts(with: part) }
    }
}
