import Model
import Testing
import Toggling

@Suite("Commands for owners") struct OwnerRequestTests {
    private static let profile = "0a-1b"

    /// The output of `nmcli device show`.
    private static func device(
        _ state: String, reason: String = "0 (No reason given)", autoconnect: String = "yes",
        profile: String = "", available: [String] = []
    ) -> String {
        let connections = available.enumerated().map {
            "CONNECTIONS.AVAILABLE-CONNECTIONS[\($0.offset + 1)]:\($0.element) | a name: with a colon"
        }
        return
            ([
                "GENERAL.STATE:\(state)", "GENERAL.REASON:\(reason)", "GENERAL.AUTOCONNECT:\(autoconnect)",
                "GENERAL.CON-UUID:\(profile)",
            ] + connections).joined(separator: "\n") + "\n"
    }
    private static let connected = device("100 (connected)", profile: profile)
    private static let givenUp = device("30 (disconnected)", available: [profile, "2c"])

    private func step(
        _ request: OwnerRequest = .activation, after answers: String...
    ) throws(Failure) -> OwnerRequest.Step {
        try request.step(for: "wlan0", after: answers.map { Array($0.utf8) })
    }

    private func activation(of profile: String) -> OwnerRequest.Step {
        .order(["--wait", "30", "connection", "up", "uuid", profile, "ifname", "wlan0"])
    }

    @Test("networkd is told to reconfigure the link; wpa_supplicant needs no command-line program")
    func others() throws {
        #expect(OwnerRequest.reconfiguration.program == "networkctl")
        #expect(try step(.reconfiguration) == .order(["reconfigure", "wlan0"]))
        #expect(OwnerRequest.reassociation.program == nil)
        #expect(try step(.reassociation) == .order([]))
    }

    @Test("NetworkManager's interface state is queried, and the active profile activated again")
    func active() throws {
        let fields =
            "GENERAL.STATE,GENERAL.REASON,GENERAL.AUTOCONNECT,GENERAL.CON-UUID,"
            + "CONNECTIONS.AVAILABLE-CONNECTIONS"
        #expect(OwnerRequest.activation.program == "nmcli")
        #expect(try step() == .query(["--terse", "--fields", fields, "device", "show", "wlan0"]))
        #expect(try step(after: Self.connected) == activation(of: Self.profile))
        let joining = Self.device("70 (connecting (getting IP configuration))", profile: "0a")
        #expect(try step(after: "Warning: x\n\(joining)") == activation(of: "0a"))
    }

    @Test(
        "if NetworkManager has given up, the profile that was active last is activated",
        arguments: ["30 (disconnected)", "120 (connection failed)"])
    func revived(state: String) throws {
        let device = Self.device(state, available: ["0a", "1b", "2c"])
        #expect(
            try step(after: device)
                == .query(["--terse", "--fields", "UUID,TIMESTAMP,AUTOCONNECT,DEVICE", "connection", "show"]))
        let profiles = """
            Warning: nmcli and NetworkManager versions do not match
            0a:1700000001:yes:
            1b:1700000002:yes:
            2c:1700000003:no:
            3d:1700000004:yes:
            4e:17000
            """
        #expect(try step(after: device, profiles) == activation(of: "1b"), "2c not by itself, 3d not here")
    }

    @Test("a profile that is active on another interface is not taken away from it")
    func busyProfile() throws {
        let device = Self.device("30 (disconnected)", available: ["0a", "1b"])
        let busy = "0a:1700000001:yes:\n1b:1700000002:yes:wlan1\n"
        #expect(try step(after: device, busy) == activation(of: "0a"))
        #expect(throws: Failure.self) { try step(after: device, "1b:1700000002:yes:wlan1\n") }
        #expect(try step(after: device, "1b:1700000002:yes:wlan0\n") == activation(of: "1b"))
    }

    @Test(
        "a network that has never worked on this machine is not joined",
        arguments: ["0a-1b:0:yes:\n", "", "rubbish"])
    func neverActive(profiles: String) {
        let told = #expect(throws: Failure.self) { try step(after: Self.givenUp, profiles) }
        #expect(
            told?.description
                == "NetworkManager has no profile for a network in range that was active before, may connect"
                + " automatically, and is not active on another interface")
    }

    @Test("if none of NetworkManager's networks is heard, nothing is activated")
    func nothingInRange() {
        let told = #expect(throws: Failure.self) {
            try step(after: Self.device("30 (disconnected)", available: ["--help", "id lab"]))
        }
        #expect(told?.description == "none of the networks that NetworkManager knows is in range")
    }

    @Test(
        "NetworkManager's state shows whether it has given up, was told to disconnect, or neither",
        arguments: [
            (connected, nil), (givenUp, .gaveUp), (device("120 (failed)", available: [profile]), .gaveUp),
            // NetworkManager has no network in range, and will connect by itself.
            (device("30 (disconnected)"), nil),
            (device("30 (disconnected)", reason: "39 (user requested)"), .toldToDisconnect),
            (device("30 (disconnected)", autoconnect: "no", available: [profile]), .toldToDisconnect),
            (device("20 (unavailable)", available: [profile]), nil), ("rubbish", nil),
        ] as [(String, OwnerCondition.Kind?)])
    func condition(answer: String, kind: OwnerCondition.Kind?) {
        let condition = OwnerRequest.activation.condition(from: Array(answer.utf8), on: "wlan0")
        #expect(condition == kind.map { OwnerCondition(.networkManager, $0) })
    }

    @Test(
        "networkd has given up an interface only if it has failed to configure it",
        arguments: [
            ("  3 wlan0 wlan carrier failed\n", true), ("3 wlan0 wlan routable failed", true),
            ("  2 wlan01 wlan routable configured\n 3 wlan0 wlan degraded failed\n", true),
            ("  3 wlan0 wlan routable configured\n", false), ("  3 wlan0 wlan degraded configuring\n", false),
            ("  3 wlan1 wlan carrier failed\n", false), ("  3 wlan0 wlan carrier\n", false),
            ("wlan0 failed\n", false), ("  3 wlan0 wlan carrier failed twice\n", false),
            ("failed to query wlan0 failed\n", false), ("", false),
        ])
    func networkd(answer: String, hasGivenUp: Bool) {
        let request = OwnerRequest.reconfiguration
        #expect(
            request.conditionQuery(on: "wlan0") == ["--no-pager", "--no-legend", "--full", "list", "wlan0"])
        let condition = request.condition(from: Array(answer.utf8), on: "wlan0")
        #expect(condition == (hasGivenUp ? OwnerCondition(.networkd, .gaveUp) : nil))
        #expect(OwnerRequest.reassociation.condition(from: Array(answer.utf8), on: "wlan0") == nil)
    }

    @Test("nmcli gets a longer time-out than the wait in its arguments")
    func timeout() throws {
        guard case .order(let order) = try step(after: Self.connected) else {
            Issue.record("no order")
            return
        }
        let wait = try #require(Int64(order[1]))
        #expect(OwnerRequest.activation.timeout > .seconds(wait))
    }

    @Test(
        "NetworkManager gets no order after a user's disconnect, or while the device is not ready",
        arguments: [
            (
                device("30 (disconnected)", reason: "39 (user requested)", available: [profile]),
                byUser
            ),
            (
                device("30 (disconnected)", autoconnect: "no", available: [profile]),
                "NetworkManager is set not to connect it automatically (run 'sudo nmcli device connect wlan0')"
            ),
            (device("120 (failed)", reason: "39", available: [profile]), byUser),
            (device("110 (deactivating)", profile: profile), unready("110 (deactivating)")),
            (device("20 (unavailable)"), unready("20 (unavailable)")),
            (device("10 (unmanaged)"), unready("10 (unmanaged)")),
        ])
    func leftAlone(answer: String, why: String) {
        let told = #expect(throws: Failure.self) { try step(after: answer) }
        #expect(told?.kind == .other)
        #expect(told?.description == why)
    }

    private static let byUser =
        "a user told NetworkManager to leave it disconnected (run 'sudo nmcli device connect wlan0')"

    private static func unready(_ state: String) -> String {
        "NetworkManager cannot connect it in the state \(state); see 'nmcli device'"
    }

    @Test("a connection that another program made is not activated by NetworkManager")
    func external() {
        let answer = Self.device("100 (connected (externally))", profile: "0a")
        let told = #expect(throws: Failure.self) { try step(after: answer) }
        #expect(told?.kind == .unavailable)
    }

    @Test(
        "a malformed answer gives no request",
        arguments: [
            (device("100 (connected)"), "GENERAL.CON-UUID"),
            (device("100 (connected)", profile: "--help"), "GENERAL.CON-UUID"),
            (device("100 (connected)", profile: "id lab"), "GENERAL.CON-UUID"),
            ("GENERAL.STATE:100 (connected)\n", "GENERAL.CON-UUID"),
            ("", "GENERAL.STATE"), ("100\n0a\n", "GENERAL.STATE"),
            ("GENERAL.STATE:\u{301}100\nGENERAL.CON-UUID:0a\n", "GENERAL.STATE"),
            ("GENERAL.STATE:30 (disconnected)\n", "GENERAL.REASON"),
            (device("30 (disconnected)", reason: "none"), "GENERAL.REASON"),
        ])
    func nonsense(answer: String, key: String) {
        let told = #expect(throws: Failure.self) { try step(after: answer) }
        #expect(told?.kind == .other)
        #expect(told?.description == "nmcli sent an answer that this program does not understand (\(key))")
    }

    private func ownership(
        _ station: [Owner], _ network: [Owner], isComplete: Bool = true
    ) -> Ownership {
        Ownership(
            station: Ownership.Part(station.map { Ownership.Claim($0, "seen") }, isComplete: isComplete),
            network: Ownership.Part(network.map { Ownership.Claim($0, "seen") }, isComplete: isComplete))
    }

    @Test("the scan owner is asked before the address owner; a program that is both is asked once")
    func requests() throws {
        #expect(try ownership([.supplicant], [.networkManager]).requests() == [.activation])
        #expect(try ownership([.iwd], [.networkManager]).requests() == [.activation])
        #expect(try ownership([.supplicant], [.networkd]).requests() == [.reassociation, .reconfiguration])
        #expect(try ownership([.iwd], [.networkd]).requests() == [.reconfiguration])
        #expect(try ownership([.supplicant], [.dhclient]).requests() == [.reassociation])
        #expect(try ownership([.supplicant], [.connman]).requests() == [.errorClearance])
        #expect(try ownership([.supplicant], []).requests() == [.reassociation])
    }

    @Test("if no owner can be asked, the error gives the reason")
    func nobody() {
        func words(_ ownership: Ownership) -> String? {
            let failure = #expect(throws: Failure.self) { try ownership.requests() }
            #expect(failure?.kind == .unavailable)
            return failure?.description
        }
        #expect(words(ownership([], [])) == "no program manages it, so none can be asked to connect again")
        #expect(
            words(ownership([], [], isComplete: false)) == "it is not known which program manages it")
        #expect(
            words(ownership([.iwd], [.iwd])) == "iwd cannot be asked to connect again")
        #expect(
            words(ownership([.iwd], [.dhclient]))
                == "iwd and dhclient cannot be asked to connect again")
        #expect(
            words(ownership([.supplicant], [.networkManager, .networkd]))
                == "several programs manage it (NetworkManager, systemd-networkd), so none is asked")
    }
}
