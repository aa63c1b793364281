import Model
import Testing
import Toggling

@Suite("Requests to owners") struct OwnerRequestTests {
    private static let answer = "GENERAL.STATE:100 (connected)\nGENERAL.CON-UUID:0a-1b\n"

    @Test(
        "the arguments for each owner",
        arguments: [
            (
                OwnerRequest.activation, "nmcli" as String?,
                ["--terse", "--fields", "GENERAL.STATE,GENERAL.CON-UUID", "device", "show", "wlan0"]
                    as [String]?,
                ["--wait", "30", "connection", "up", "uuid", "0a-1b", "ifname", "wlan0"]
            ),
            (.reassociation, nil, nil, []),
            (.reconfiguration, "networkctl", nil, ["reconfigure", "wlan0"]),
        ])
    func words(request: OwnerRequest, program: String?, question: [String]?, order: [String]) throws {
        #expect(request.program == program)
        #expect(request.question(about: "wlan0") == question)
        #expect(try request.order(for: "wlan0", after: Array(Self.answer.utf8)) == order)
    }

    @Test("the program's time-out is longer than the time that it is told to wait")
    func timeout() throws {
        let order = try OwnerRequest.activation.order(for: "wlan0", after: Array(Self.answer.utf8))
        let wait = try #require(Int64(order[1]))
        #expect(OwnerRequest.activation.timeout > .seconds(wait))
    }

    @Test(
        "an answer without a connection gives no request",
        arguments: [
            ("GENERAL.STATE:30 (disconnected)\nGENERAL.CON-UUID:\n", Failure.Kind.other),
            ("GENERAL.STATE:30 (disconnected)\nGENERAL.CON-UUID:0a\n", .other),
            ("GENERAL.STATE:110 (deactivating)\nGENERAL.CON-UUID:0a\n", .other),
            ("GENERAL.STATE:120 (connection failed)\nGENERAL.CON-UUID:0a\n", .other),
            ("GENERAL.STATE:10 (unmanaged)\nGENERAL.CON-UUID:\n", .other),
            ("GENERAL.STATE:100 (connected (externally))\nGENERAL.CON-UUID:0a\n", .unavailable),
            ("GENERAL.STATE:100 (connected)\nGENERAL.CON-UUID:\n", .other),
            ("GENERAL.STATE:100 (connected)\nGENERAL.CON-UUID:--help\n", .other),
            ("GENERAL.STATE:100 (connected)\nGENERAL.CON-UUID:id lab\n", .other),
            ("GENERAL.STATE:100 (connected)\n", .other), ("", .other), ("100\n0a\n", .other),
            ("GENERAL.STATE:\u{301}100\nGENERAL.CON-UUID:0a\n", .other),
        ])
    func noConnection(answer: String, kind: Failure.Kind) {
        let told = #expect(throws: Failure.self) {
            try OwnerRequest.activation.order(for: "wlan0", after: Array(answer.utf8))
        }
        #expect(told?.kind == kind)
    }

    @Test("an owner that is about to connect is asked, too")
    func onItsWay() throws {
        let answer =
            "Warning: x\nGENERAL.STATE:70 (connecting (getting IP configuration))\nGENERAL.CON-UUID:0a\n"
        #expect(try OwnerRequest.activation.order(for: "w", after: Array(answer.utf8)).contains("0a"))
    }

    private func ownership(
        _ station: [Owner], _ network: [Owner], isComplete: Bool = true
    ) -> Ownership {
        Ownership(
            station: Ownership.Part(station.map { Ownership.Claim($0, "seen") }, isComplete: isComplete),
            network: Ownership.Part(network.map { Ownership.Claim($0, "seen") }, isComplete: isComplete))
    }

    @Test("an owner of both parts is asked alone; otherwise the association comes first")
    func requests() throws {
        #expect(try ownership([.supplicant], [.networkManager]).requests() == [.activation])
        #expect(try ownership([.iwd], [.networkManager]).requests() == [.activation])
        #expect(try ownership([.supplicant], [.networkd]).requests() == [.reassociation, .reconfiguration])
        #expect(try ownership([.iwd], [.networkd]).requests() == [.reconfiguration])
        #expect(try ownership([.supplicant], [.dhclient]).requests() == [.reassociation])
        #expect(try ownership([.supplicant], []).requests() == [.reassociation])
    }

    @Test("if no owner can be asked, the error says why")
    func nobody() {
        func words(_ ownership: Ownership) -> String? {
            let failure = #expect(throws: Failure.self) { try ownership.requests() }
            #expect(failure?.kind == .unavailable)
            return failure?.words
        }
        #expect(words(ownership([], [])) == "nobody manages it who could be asked")
        #expect(words(ownership([], [], isComplete: false)) == "it cannot be seen who manages it")
        #expect(
            words(ownership([.iwd], [.iwd])) == "iwd: no request is known that makes the connection anew")
        #expect(
            words(ownership([.iwd], [.dhclient]))
                == "iwd and dhclient: no request is known that makes the connection anew")
        #expect(
            words(ownership([.supplicant], [.networkManager, .networkd]))
                == "NetworkManager and systemd-networkd manage it against each other")
    }
}
