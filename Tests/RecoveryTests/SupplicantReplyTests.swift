import Model
import Testing

@testable import Recovery

@Suite("Replies of wpa_supplicant") struct SupplicantReplyTests {
    @Test(
        "a reply is parsed with or without its final newline",
        arguments: [
            ("OK\n", SupplicantReply.okay), ("OK", .okay), ("FAIL\n", .refused("FAIL")),
            ("FAIL-BUSY\n", .refused("FAIL-BUSY")), ("UNKNOWN COMMAND\n", .refused("UNKNOWN COMMAND")),
            ("<3>CTRL-EVENT-SCAN-STARTED ", .event), ("IFNAME=wlan0 <3>CTRL-EVENT", .event),
            ("OK?\n", .text("OK?\n")), ("", .text("")),
            ("wpa_state=COMPLETED\n", .text("wpa_state=COMPLETED\n")),
        ])
    func read(_ text: String, _ answer: SupplicantReply) {
        #expect(SupplicantReply(Array(text.utf8)) == answer)
    }

    @Test("a reply with invalid UTF-8, or one that is too long, is refused")
    func unreadable() {
        #expect(SupplicantReply([0xff, 0xfe]) == .unreadable)
        #expect(
            SupplicantReply([UInt8](repeating: 0x41, count: SupplicantReply.longest + 1)) == .unreadable)
    }

    @Test(
        "a supplicant that has a network, or looks for one, may reassociate",
        arguments: ["SCANNING", "ASSOCIATING", "4WAY_HANDSHAKE", "COMPLETED"])
    func joining(_ state: String) {
        let status = SupplicantReply.text(
            "bssid=02:00:00:00:00:01\nwpa_state=\(state)\nip_address=10.0.0.2\n")
        #expect(status.reasonNotToReassociate == nil)
    }

    @Test(
        "a supplicant that was told to disconnect is left alone",
        arguments: ["DISCONNECTED", "INACTIVE", "INTERFACE_DISABLED"])
    func idle(_ state: String) {
        let failure = SupplicantReply.text("wpa_state=\(state)\nssid=x\n").reasonNotToReassociate
        #expect(failure?.kind == .other && failure?.description.contains(state) == true)
    }

    private static let header = "network id / ssid / bssid / flags\n"

    @Test(
        "a temporarily disabled network is found, unless a user disabled it too or a network is joined",
        arguments: [
            ("0\tlab\tany\t[TEMP-DISABLED]\n", [0]),
            ("0\tlab\tany\t\n1\tother\t02:00:00:00:00:01\t[TEMP-DISABLED]\n", [1]),
            ("0\tlab\tany\t[TEMP-DISABLED]\n7\ta\\tb\tany\t[TEMP-DISABLED]\n", [0, 7]),
            ("0\tlab\tany\t[DISABLED]\n", []), ("0\tlab\tany\t[DISABLED][TEMP-DISABLED]\n", []),
            ("0\tlab\tany\t[DISABLED]\n1\tlab\tany\t[TEMP-DISABLED]\n", [1]),
            ("0\tlab\tany\t[CURRENT]\n1\tother\tany\t[TEMP-DISABLED]\n", []),
            ("0\tlab\tany\t[CURRENT][TEMP-DISABLED]\n", []), ("", []),
        ] as [(String, [Int32])])
    func postponed(_ networks: String, _ numbers: [Int32]) {
        #expect(SupplicantReply(Array((Self.header + networks).utf8)).postponedNetworks == numbers)
    }

    @Test(
        "text that is no list of networks gives no network",
        arguments: [
            "", "OK\n", "FAIL\n", "0\tlab\tany\t[TEMP-DISABLED", "0\tlab\t[TEMP-DISABLED]\n",
            "-1\tlab\tany\t[TEMP-DISABLED]\n", "all\tlab\tany\t[TEMP-DISABLED]\n",
            "0 1\tlab\tany\t[TEMP-DISABLED]\n", "4294967296\tlab\tany\t[TEMP-DISABLED]\n",
            "\tlab\tany\t[TEMP-DISABLED]\n", "0\tlab\tany\t[TEMP-DISABLED]\r\n",
            "0\tlab\tany\t[TEMP-DISABLED]\tx\n", "0\t[TEMP-DISABLED]\tany\t\n",
            "<3>0\tlab\tany\t[TEMP-DISABLED]\n",
        ])
    func noNetworks(_ text: String) {
        #expect(SupplicantReply(Array(text.utf8)).postponedNetworks.isEmpty)
    }

    @Test(
        "a status without a state, or with an unknown one, is malformed",
        arguments: [
            "", "ssid=wpa_state=COMPLETED\n", "wpa_state=COMPLETED\r\n", "wpa_state=\u{1b}[2J", "wpa_state",
        ])
    func nonsense(_ text: String) {
        #expect(SupplicantReply.text(text).reasonNotToReassociate == .nonsense)
    }
}
